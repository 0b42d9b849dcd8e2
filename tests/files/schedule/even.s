# Where a set is known to be even: the promise at the start of the region, carried through blocks and loops. There two
# loads become a double one.

; case: a loop in a loop without a promise
.linear
.loop 3
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endloop
.endlinear
 stopi 0

; case: an even number of words leaves the address even, in a loop in a loop too
.linear
.even r1
.loop 3
.loop 8
; schedule: doubles=2 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endloop
.endlinear
 stopi 0

; case: a word more in the outer loop does not
.linear
.even r1
.loop 3
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
 updaddr (r1)+1
.endloop
.endlinear
 stopi 0

; case: a word before the loop
.linear
.even r1
 lwo %z, (r1)+1
 psadd f2, %z, f3
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: two words before the loop
.linear
.even r1
 lwo %z, (r1)+2
 psadd f2, %z, f3
.loop 8
; schedule: doubles=2 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: a loop of a word, run an even number of times
.linear
.even r1
.loop 4
 lwo %z, (r1)+1
 psadd f2, %z, f3
.endloop
.loop 8
; schedule: doubles=2 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: and run an odd number of times
.linear
.even r1
.loop 5
 lwo %z, (r1)+1
 psadd f2, %z, f3
.endloop
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: a loop of a word, run as often as a register promises to be even
.linear
.scratch g15
.even r1
.loop g2, min=2, multiple=2
 lwo %z, (r1)+1
 psadd f2, %z, f3
.endloop
.loop 8
; schedule: doubles=2 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: a body of five words is even in every other iteration only
.linear
.even r1
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
 updaddr (r1)+1
.endloop
.endlinear
 stopi 0

; case: a set that is written is not even any more
.linear
.even r1
 move a1, g1
.loop 8
; schedule: doubles=0 ii=8
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
.endloop
.endlinear
 stopi 0

; case: straight code in the middle of a row
.linear
; schedule: cycles=13
.even r1
 lwo %z, (r1)+1
 lwo %a, (r1)+1
 lwo %b, (r1)+1
 lwo %c, (r1)+1
 lwo %d, (r1)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
 psadd f2, %z, f3
.endlinear
 stopi 0
