.kernel k
.rept 16, k
    doi 2, body + 15 - \k
.endr
body:
.rept 17
    nop
.endr
    stopi 0
