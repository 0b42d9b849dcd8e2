# Operations that the scheduler makes of others: double loads, permutations.

; case: loads of neighbouring words stay single on an unknown address
.linear
.loop 64
; schedule: resource=4 doubles=0 permutations=0
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: on an even address they become double loads
.linear
.even r0
.loop 64
; schedule: resource=2 doubles=2 permutations=0 arithmetic=2 exchange=2
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: loads with a word between them stay apart
.linear
.even r0
.loop 64
; schedule: doubles=0 permutations=0
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+2
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: loads with a store between them stay apart
.linear
.even r0
.loop 64
; schedule: doubles=0 permutations=0
 lwo %a, (r0)+1
 swo f2, (r1)+0
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 swo f2, (r1)+0
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: a store to other words does not matter
.linear
.even r0
.disjoint r0, r1
.loop 64
; schedule: doubles=2 permutations=0
 lwo %a, (r0)+1
 swo f2, (r1)+0
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 swo f2, (r1)+0
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: loads of one register stay apart
.linear
.even r0
.loop 64
; schedule: doubles=0 permutations=0
 lwo %a, (r0)+1
 lwo %a, (r0)+1
 lwo %c, (r0)+1
 lwo %c, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %a, %c
.endloop
.endlinear
 stopi 0

; case: loads of registers that are no pairs stay apart
.linear
.even r0
.assign %a, f8
.assign %c, f11
.loop 64
; schedule: doubles=0 permutations=0
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: loads stay single where the arithmetic slot is fuller
.linear
.even r0
.loop 64
; schedule: doubles=0 permutations=0
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
 psadd f2, f2, %a
 psadd f3, f3, %b
.endloop
.endlinear
 stopi 0

; case: moves of halves become permutations where the arithmetic slot is fuller
.linear
.loop 64
; schedule: doubles=0 permutations=2 arithmetic=2 exchange=3 resource=3
 ldo %a:%b, (r0)+2
 swaphl %x, %a
 swaphl %y, %b
 copy %v, %x
 swaphl %w, %y
 psmadd f0, %v, %a
 psmadd f1, %w, %b
.endloop
.endlinear
 stopi 0

; case: a transposition under a predicate stays, one without becomes a permutation
.linear
.disjoint r0, r1
.loop 64
; schedule: doubles=0 permutations=1 resource=4
 ldo %a:%b, (r0)+2
 mtrans %x, %b, %a, %y
 if(cc1) mtrans %x, %a, %b, %y
 psadd %x, %x, f0
 psadd %y, %y, f0
 psmadd f1, %x, f0
 sdo %x:%y, (r1)+2
.endloop
.endlinear
 stopi 0

; case: two moves leave room for a double load
# 7 + 5 operations: the two moves become one exchange operation, 5 + 6, and two loads one, 5 + 5.
.linear
.even r0
.disjoint r0, r1
.loop 64
; schedule: doubles=1 permutations=1 resource=5
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 swaphl %x, %a
 copy %y, %b
 psmul %c, %x, %y
 psmul %d, %x, f0
 psmul %e, %y, f0
 psadd %f, %c, f1
 psadd %g, %d, %e
 swo %f, (r1)+1
 swo %g, (r1)+1
 swo %x, (r1)+1
.endloop
.endlinear
 stopi 0

; case: the second move is done with the first
.linear
.loop 64
; schedule: permutations=1
 ldo %a:%b, (r0)+2
 swaphl %x, %a
 psadd %s, %x, f0
 psmadd f1, %s, %a
 swaphl %y, %b
 psmadd f2, %y, %b
.endloop
.endlinear
 stopi 0

; case: the first move is done with the second where a source of it is written between
.linear
.loop 64
; schedule: permutations=1
 ldo %a:%b, (r0)+2
 swaphl %x, %a
 psadd %b, %b, f0
 psmadd f1, %a, %a
 copy %y, %b
 psmadd f2, %y, %x
 psmadd f3, %x, %y
.endloop
.endlinear
 stopi 0

; case: two moves of a value that is moved on
.linear
.loop 64
; schedule: permutations=0
 ldo %a:%b, (r0)+2
 copy %x, %a
 psmadd f1, %x, f0
 swaphl %a, %b
 psmadd f2, %a, f0
 psmadd f3, %b, f0
 psmadd f4, %a, %b
.endloop
.endlinear
 stopi 0

; case: moves stay where neither can be done with the other
.linear
.loop 64
; schedule: permutations=0
 ldo %a:%b, (r0)+2
 swaphl %x, %a
 psadd %b, %b, %x
 psmadd f1, %x, %a
 swaphl %y, %b
 psmadd f2, %y, %b
.endloop
.endlinear
 stopi 0

; case: moves under one predicate, with other work between
.linear
.loop 64
; schedule: permutations=1
 ldo %a:%b, (r0)+2
 copy %x, f0
 copy %y, f0
 psadd %s, %a, %b
 if(cc1) swaphl %x, %a
 psmadd f1, %s, f0
 if(cc1) swaphl %y, %b
 psmadd f2, %x, %y
.endloop
.endlinear
 stopi 0

; case: and with a comparison between that sets the predicate
.linear
.loop 64
; schedule: permutations=0
 ldo %a:%b, (r0)+2
 psadd %x, f4, f0
 psadd %y, f5, f0
 psadd %s, %a, %b
 if(cc1) swaphl %x, %a
 c.lt.s cc1, %s, f0
 if(cc1) swaphl %y, %b
 psmadd f2, %x, %y
.endloop
.endlinear
 stopi 0

; case: moves under different predicates
.linear
.loop 64
; schedule: permutations=0
 ldo %a:%b, (r0)+2
 psadd %x, f4, f0
 psadd %y, f5, f0
 psadd %s, %a, %b
 if(cc1) swaphl %x, %a
 psmadd f3, %s, f0
 if(cc2) swaphl %y, %b
 psmadd f2, %x, %y
.endloop
.endlinear
 stopi 0

; case: the words of a transposition
.linear
.disjoint r0, r1
.loop 64
; schedule: permutations=1
 ldo %a:%b, (r0)+2
 mtrans %x, %b, %a, %y
 psadd %u, %x, f0
 psadd %v, %y, f0
 psmadd f1, %u, %v
 sdo %x:%y, (r1)+2
.endloop
.endlinear
 stopi 0

; case: straight code is exchanged where that makes it shorter
.linear
; schedule: bundles=13
.even r0
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 lwo %e, (r0)+1
 lwo %f, (r0)+1
 psadd f0, %a, %b
 psadd f1, %c, %d
 psadd f2, %e, %f
.endlinear
 stopi 0
