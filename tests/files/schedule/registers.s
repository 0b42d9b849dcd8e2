# Registers: as many as there are, one more, in rows, as long as a value lives, with more iterations under way.

; case: as many values as registers
.linear
; schedule: cycles=30 registers=64
.keep f0-f60
 lwi %a, 0
 lwi %b, 1
 lwi %c, 2
 cadd %d, %b, %c
 cadd %e, %d, %a
 cadd %f, %a, %b
 cadd %g, %f, %c
 cadd %h, %g, %e
 swi %h, 2
.endlinear
 stopi 0

; case: a row of all registers
.linear
; schedule: registers=64
.rept 63, k
 ldo %a\k:%a{\k+1}, (r0)+2
.endr
.loop 3
 swo %a0, (r0)+1
.endloop
.endlinear
 stopi 0

; case: rows in what is left free
.linear
; schedule: cycles=30 registers=58
.keep f2, f5, f9, f14-f63
.scratch g15
 lwo %s, (r2)+1
 ldo %a:%b, (r0)+2
 ldo %b:%c, (r0)+2
 ldo %c:%d, (r0)+2
 ldo %p:%q, (r0)+2
 psadd %t, %s, %p
 qsdot %u, %a:%b, %c:%d, 0
 psadd %v, %u, %q
 psadd %w, %t, %v
 swo %w, (r1)+1
.endlinear
 stopi 0

; case: rows beside values of other lengths in a loop
.linear
.keep f10-f63
.disjoint r0, r1, r2
.loop 30
; schedule: ii=5 registers=9
 lwo %s, (r2)+1
 ldo %a:%b, (r0)+2
 psadd %t, %a, %s
 psadd %u, %b, %t
 psadd %v, %u, %s
 swo %v, (r1)+1
.endloop
.endlinear
 stopi 0

; case: values in few registers make the interval long
# 42 cycles would do; behind 24 intervals without a schedule the search goes on by two cycles.
.linear
.keep f3-f63
.disjoint r0, r1
.loop 100
; schedule: ii=42 registers=2
 lwo %x, (r0)+1
 psmul %a, %x, f0
 psmul %b, %a, %x
 psmul %c, %b, %x
 psmul %d, %c, %x
 psmul %e, %d, %x
 psmul %f, %e, %x
 swo %f, (r1)+1
.endloop
.endlinear
 stopi 0

; case: registers that an iteration hands to the next make the interval long
.linear
.scratch g15
.keep f6-f63
.disjoint r0, r1
.loop g2, min=8
; schedule: ii=34 registers=3
 lwo %x, (r0)+1
 psmul %a, %x, f0
 psmul %b, %a, %x
 psmul %c, %b, %a
 psmul %d, %c, %b
 psmul %e, %d, %x
 swo %e, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a value that every iteration keeps for long
.linear
.keep f16-f63
.disjoint r0, r1
.loop 40
; schedule: ii=3 unrolled=6 registers=8
 lwo %x, (r0)+1
 psmul %a, %x, f0
 psadd %b, %a, f1
 psadd %c, %b, %x
 swo %c, (r1)+1
.endloop
.endlinear
 stopi 0

; case: the same in fewer registers
.linear
.keep f8-f63
.disjoint r0, r1
.loop 40
; schedule: ii=5 unrolled=4 registers=5
 lwo %x, (r0)+1
 psmul %a, %x, f0
 psadd %b, %a, f1
 psadd %c, %b, %x
 swo %c, (r1)+1
.endloop
.endlinear
 stopi 0

; case: parts of a value are put in one after the other
.linear
.disjoint r0, r1
.loop 40
; schedule: ii=24 unrolled=1
 lwo %x, (r0)+1
 li0 %v, 1234
 li1 %v, 5
 recip %v.hi, %x.lo
 psadd %y, %v, %x
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a value that lives across two loops, in one place
.linear
; schedule: registers=5
.scratch g15
 lwo %k, (r2)+1
.loop 20
 lwo %x, (r0)+1
 psmul %y, %x, %k
 swo %y, (r0)+1
.endloop
 psadd %l, %k, f0
.loop 20
 lwo %x, (r1)+1
 psmul %y, %x, %l
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a value that lives a cycle longer than sixteen intervals
; machine: core.arithmetic_latency=31
.linear
.scratch g15
.disjoint r0, r1
.loop g2, min=128, multiple=32
; schedule: ii=2 unrolled=32
 lwo %x, (r0)+1
 psmul %y, %x, f0
 psadd %z, %y, %x
 swo %z, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a pair that lives across loops keeps its places from the values of the loops
.linear
; schedule: registers=6
.scratch g15
.disjoint r0, r1, r2
 ldo %k:%l, (r2)+2
.loop 20
 lwo %x, (r0)+1
 psmul %y, %x, %k
 psadd %z, %y, %l
 swo %z, (r0)+1
.endloop
 psadd %m, %k, %l
.loop 20
 lwo %u, (r1)+1
 psmul %v, %u, %l
 psadd %w, %v, %m
 swo %w, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a register that is done before a loop gives its place to another
.linear
; schedule: registers=4
.disjoint r0, r1
 lwo %k, (r2)+1
 psadd %l, %k, f0
.loop 20
 lwo %x, (r0)+1
 psmul %y, %x, %l
 swo %y, (r0)+1
.endloop
 lwo %m, (r2)+1
.loop 20
 lwo %u, (r1)+1
 psmul %v, %u, %m
 swo %v, (r1)+1
.endloop
.endlinear
 stopi 0
