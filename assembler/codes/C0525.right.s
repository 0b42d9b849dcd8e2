.kernel k
.rept 15, k
    doi 2, body + 14 - \k
.endr
body:
.rept 16
    nop
.endr
    stopi 0
