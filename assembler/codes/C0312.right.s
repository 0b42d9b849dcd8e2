    lwi f1, data
    stopi 0
.lmem all
data: .quad 1
