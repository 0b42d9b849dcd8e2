# Accesses of two words at odd addresses lose an element: the lowest bit of the address is ignored.

; case: an address that seti tells, and its steps
.kernel k
    clr r0
    seti a0, 101
    ldo f2, (r0)+2
; lint: C0512
    sdo f8, (r0)+1
; lint: C0512
    ldo f4, (r0)+1
    sdnp f8, (r0)+n0
; lint: C0512
    stopi 0

; case: the same from even addresses
.kernel k
    clr r0
    seti a0, 100
    ldo f2, (r0)+2
    sdo f8, (r0)+2
    stopi 0
; lint: none

; case: a label at an odd word, through a general register
.lmem all
    .quad 1
data:
    .quad 2, 3, 4
.kernel k
    seti g2, data
    move a1, g2
    ldo f2, (r1)+0
; lint: C0512
    ldi f4, data
; lint: C0512
    stopi 0

; case: one of the iterations of a loop
.kernel k
    clr r0
    seti a0, 90
    doi 4, last
    ldo f2, (r0)+3
; lint: C0512
last:
    nop
    nop
    stopi 0

; case: a declared array begins at an even word, wherever that is
.kernel k
.array x, in, complex64, 64, at=a1
.array y, out, complex64, 64, at=g3
    move a2, g3
    lwo f1, (r1)+1
    ldo f2, (r1)+2
; lint: C0512
    sdo f8, (r2)+2
    sdo f8, (r2)-1
    sdo f8, (r2)+2
; lint: C0512
    stopi 0

; case: even steps of a loop whose count nobody knows keep an address odd
.kernel k
.arg n, g2, min=1
.array x, in, complex64, 64, at=a1
    updaddr (r1)+1
    do g2, last
    ldo f2, (r1)+2
; lint: C0512
last:
    nop
    nop
    ldo f4, (r1)+2
; lint: C0512
    stopi 0

; case: an argument that is promised to be even
.kernel k
.arg first, g2, multiple=4
    move a1, g2
    updaddr (r1)-1
    ldo f2, (r1)+2
; lint: C0512
    stopi 0

; case: odd ones do not tell
.kernel k
.arg n, g2, min=1
.array x, in, complex64, 64, at=a1
    do g2, last
    lwo f2, (r1)+1
last:
    nop
    nop
    ldo f4, (r1)+2
    stopi 0
; lint: none

; case: nothing is known of an address from outside, nor in a mode from outside
.kernel k
    ldo f2, (r1)+1
    ldo f4, (r1)+1
    seti a2, 100
    ldo f6, (r2)+1
    ldo f8, (r2)+1
    stopi 0
; lint: none

; case: linear code
.kernel k
    clr r0
    seti a0, 7
.linear
    ldo %a:%b, (r0)+2
; lint: C0512
    psadd %c, %a, %b
    swo %c, (r0)-1
.endlinear
    stopi 0

; case: what a promise says is believed
.kernel k
.linear
    .even r0
    .disjoint r0, r1
    lwo %x, (r0)+1
    ldo %a:%b, (r0)+2
; lint: C0512
    psadd %c, %a, %x
    psadd %d, %c, %b
    swo %d, (r1)
.endlinear
    stopi 0

; case: the same with a mark
.kernel k
    clr r0
    seti a0, 101
    ldo f2, (r0)+2 @allow(C0512)
    stopi 0
; lint: none
