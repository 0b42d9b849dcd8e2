# Address sets: which accesses keep their order, how far apart iterations are that meet, which sets are even where
# a block begins, and the steps that the new order of accesses needs.

; case: loads of a set go where their readers need them
# The accesses are moved past each other, and each step goes from one to the next; at the end a0 is where it would be.
.linear
; schedule: cycles=29
 lwo %a, (r0)+3
 lwo %b, (r0)+5
 lwo %c, (r0)-2
 psmul %z, %c, %c
 psadd %y, %z, %b
 psadd %x, %y, %a
 swo %x, (r1)+1
.endlinear
 stopi 0

; case: a step of the program's own is taken over by the accesses
.linear
; schedule: cycles=13
 lwo %a, (r0)+1
 updaddr (r0)+10
 lwo %b, (r0)+1
 updaddr (r0)-4
 psadd %x, %a, %b
 swo %x, (r1)+1
.endlinear
 stopi 0

; case: a step of a set that reaches no memory stays
.linear
; schedule: cycles=4
 updaddr (r2)+10
 lwo %a, (r0)+1
 updaddr (r2)-4
 swo %a, (r1)+1
.endlinear
 stopi 0

; case: words of one set that are never the same
# The store is behind the load that it does not meet.
.linear
; schedule: cycles=13
 psmul %a, f1, f2
 swo %a, (r0)+1
 lwo %b, (r0)+1
 psmul %c, %b, %b
 swo %c, (r1)+1
.endlinear
 stopi 0

; case: a word of one set that is stored and loaded
.linear
; schedule: cycles=21
 psmul %a, f1, f2
 swo %a, (r0)
 lwo %b, (r0)+1
 psmul %c, %b, %b
 swo %c, (r1)+1
.endlinear
 stopi 0

; case: two words at an unknown address may be either side
.linear
; schedule: cycles=21
 psmul %a, f1, f2
 swo %a, (r0)+1
 ldo %b:%c, (r0)+1
 psmul %d, %b, %c
 swo %d, (r1)+1
.endlinear
 stopi 0

; case: two words at an even address are those of the pair
.linear
; schedule: cycles=13
.even r0
.disjoint r0, r1
 psmul %a, f1, f2
 swo %a, (r0)+2
 ldo %b:%c, (r0)+1
 psmul %d, %b, %c
 swo %d, (r1)+1
.endlinear
 stopi 0

; case: immediate addresses are compared
.linear
; schedule: cycles=21
 psmul %a, f1, f2
 swi %a, 100
 lwi %b, 101
 psmul %c, %b, %b
 swi %c, 102
 lwi %d, 100
 psmul %e, %d, %d
 swi %e, 103
.endlinear
 stopi 0

; case: an immediate address may be that of a set
.linear
; schedule: cycles=21
 psmul %a, f1, f2
 swi %a, 100
 lwo %b, (r0)+1
 psmul %c, %b, %b
 swi %c, 102
.endlinear
 stopi 0

; case: and is not where that is promised
.linear
; schedule: cycles=12
.disjoint r0, abs
 psmul %a, f1, f2
 swi %a, 100
 lwo %b, (r0)+1
 psmul %c, %b, %b
 swi %c, 102
.endlinear
 stopi 0

; case: a set that is cleared keeps the order of its accesses
.linear
.loop 20
; schedule: ii=13
 lwo %x, (r3)+1
 psmul %y, %x, f0
 swo %y, (r3)+1
 clr r3
.endloop
.endlinear
 stopi 0

; case: so does one that steps by n
.linear
.loop 20
; schedule: ii=12
 lwo %x, (r3)+1
 psmul %y, %x, f0
 swnp %y, (r3)+n3
.endloop
.endlinear
 stopi 0

; case: one that is written by a move
.linear
.loop 20
; schedule: ii=13
 lwo %x, (r3)+1
 psmul %y, %x, f0
 swo %y, (r3)+1
 move a3, g1
.endloop
.endlinear
 stopi 0

; case: and one whose n is set
.linear
.loop 20
; schedule: ii=12
 lwo %x, (r3)+1
 psmul %y, %x, f0
 swo %y, (r3)+1
 seti n3, 5
.endloop
.endlinear
 stopi 0

; case: a load meets the store of three iterations before, by a step of 3
# 12 cycles in three iterations.
.linear
.loop 40
; schedule: ii=4
 lwo %x, (r0)+9
 psmul %y, %x, f0
 swo %y, (r0)-6
.endloop
.endlinear
 stopi 0

; case: by a step of -5
.linear
.loop 40
; schedule: ii=6
 lwo %x, (r0)-10
 psmul %y, %x, f0
 swo %y, (r0)+5
.endloop
.endlinear
 stopi 0

; case: by a step of 6, which divides no power of two
.linear
.loop 40
; schedule: ii=3
 lwo %x, (r0)+24
 psmul %y, %x, f0
 swo %y, (r0)-18
.endloop
.endlinear
 stopi 0

; case: by a step of 6 never, at an odd distance
.linear
.loop 40
; schedule: ii=2
 lwo %x, (r0)+25
 psmul %y, %x, f0
 swo %y, (r0)-19
.endloop
.endlinear
 stopi 0

; case: by a step of 3277, behind two rounds of the memory
# Five iterations and twice 8192 words later: 12 cycles in five iterations.
.linear
.loop 40
; schedule: ii=3
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r0)+3276
.endloop
.endlinear
 stopi 0

; case: two words meet the ones of the iteration before
.linear
.loop 40
; schedule: ii=12
 ldo %x:%y, (r0)+1
 psmul %z, %x, f0
 swo %z, (r0)+1
.endloop
.endlinear
 stopi 0

; case: and do not where the address is even
.linear
.even r0
.loop 40
; schedule: ii=2
 ldo %x:%y, (r0)+1
 psmul %z, %x, %y
 swo %z, (r0)+1
.endloop
.endlinear
 stopi 0

; case: the same word in every iteration
.linear
.loop 40
; schedule: ii=12
 lwo %x, (r0)
 psmul %y, %x, f0
 swo %y, (r0)
.endloop
.endlinear
 stopi 0

; case: an address of each section may be that of a store
; machine: vm7 extensions.section_addressing=true
.linear
; schedule: cycles=21
 psmul %a, f1, f2
 swo %a, (r0)+1
 lwfa %b, f3.lo
 psmul %c, %b, %b
 swo %c, (r1)+1
.endlinear
 stopi 0

; case: and is none where that is promised
; machine: vm7 extensions.section_addressing=true
.linear
; schedule: cycles=12
.disjoint r0, sections
 psmul %a, f1, f2
 swo %a, (r0)+1
 lwfa %b, f3.lo
 psmul %c, %b, %b
 swo %c, (r1)+1
.endlinear
 stopi 0

; case: a general register of the same number is no address set
.linear
.loop 20
; schedule: ii=3
 lwo %x, (r5)
 psmul %y, %x, f0
 swo %y, (r5)+1
 seti g5, 3
.endloop
.endlinear
 stopi 0

; case: two words at an even address meet the second one
.linear
; schedule: cycles=29
.even r0
 psmul %a, f1, f2
 lwo %z, (r0)+1
 swo %a, (r0)-1
 ldo %b:%c, (r0)+2
 psmul %d, %b, %c
 psadd %e, %d, %z
 swo %e, (r0)+1
.endlinear
 stopi 0
