.kernel k
.dmabank 0
    lwi f1, 100
.dmabank none
    stopi 0
