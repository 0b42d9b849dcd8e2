# Promises of linear code that constants show to be broken (C0514), and what they let the linter believe (C0505).

; case: two sets that reach one word
.kernel k
    seti a0, 100
    seti a1, 100
.linear
    .disjoint r0, r1
    .loop 16
    lwo %x, (r0)+1
    psmul %y, %x, f0
; lint: 5-21 C0514 r0 and r1 both reach word 100 in region `k`, and `.disjoint r0, r1` in line 8 promises that they never do
;   label: `swo f2, (r1)+1` reaches word 100
;   related: -1:5-19 r0 has reached it here
;   help: keep the words apart, or leave one of the sets out of the promise
    swo %y, (r1)+1
    .endloop
.endlinear
    stopi 0

; case: only the last iterations reach what others have written
.kernel k
    seti a0, 100
    seti a1, 101
    seti a2, 115
.linear
    .disjoint r1, r2, abs
    .loop 16
    lwo %x, (r1)+1
; lint: C0514
    psmul %y, %x, f0
    swo %y, (r2)+1
    .endloop
.endlinear
    stopi 0

; case: sets that stay apart
.kernel k
    seti a1, 100
    seti a2, 116
.linear
    .disjoint r1, r2
    .loop 16
    lwo %x, (r1)+1
    psmul %y, %x, f0
    swo %y, (r2)+1
    .endloop
.endlinear
    stopi 0
; lint: none

; case: a count that a general register has, and the loop of the scheduler
.kernel k
    seti g2, 16
    seti a0, 100
    seti a1, 115
.linear
    .scratch g15
    .disjoint r0, r1
    .loop g2, min=8, multiple=4
    lwo %x, (r0)+1
; lint: C0514
    psmul %y, %x, f0
    swo %y, (r1)+1
    .endloop
.endlinear
    stopi 0

; case: the same, one word further
.kernel k
    seti g2, 16
    seti a0, 100
    seti a1, 116
.linear
    .scratch g15
    .disjoint r0, r1
    .loop g2, min=8, multiple=4
    lwo %x, (r0)+1
    psmul %y, %x, f0
    swo %y, (r1)+1
    .endloop
.endlinear
    stopi 0
; lint: none

; case: immediate addresses, and two words at once
.kernel k
    seti a1, 40
.linear
    .disjoint r1, abs
    ldo %a:%b, (r1)+2
    psadd %c, %a, %b
    swi %c, 41
; lint: C0514
.endlinear
    stopi 0

; case: an odd address
.kernel k
    seti a0, 7
.linear
    .even r0
    lwo %x, (r0)+1
; lint: C0514
    swi %x, 100
.endlinear
    stopi 0

; case: counts below and between
.kernel k
    seti g2, 3
    seti g3, 6
.linear
    .scratch g15
    .loop g2, min=4
; lint: C0514
; lint: C0514
    lwo %x, (r0)+1
    psadd f1, f1, %x
    .endloop
    .loop g3, multiple=4
    lwo %y, (r0)+1
    psadd f2, f2, %y
    .endloop
.endlinear
    stopi 0

; case: a count of 0, which the promise excludes, would pass over the end of the outer loop
.kernel k
.linear
    .scratch g15
    .loop g3
    .loop g2
    swo f1, (r0)+1
    .endloop
    .endloop
.endlinear
    stopi 0
; lint: none

; case: the same by hand, where nobody promises
.kernel k
    do g3, outer
    do g2, inner
; lint: C0505
inner:
    swo f1, (r0)+1
outer:
    nop
    nop
    stopi 0

; case: nothing is known
.kernel k
.linear
    .scratch g15
    .even r0
    .disjoint r0, r1
    .loop g2, min=8
    lwo %x, (r0)+1
    swo %x, (r1)+1
    .endloop
.endlinear
    stopi 0
; lint: none

; case: marked around the region
.kernel k
    seti a0, 100
    seti a1, 100
.allow C0514
.linear
    .disjoint r0, r1
    lwo %x, (r0)+1
    swo %x, (r1)+1
.endlinear
.endallow
    stopi 0
; lint: none
