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
