.kernel k
.dmabank 0
    lwi f1, 4196
.dmabank none
    stopi 0
