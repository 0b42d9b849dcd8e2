# Where operations are placed: slots, predicates, recurrences, long ways, results that are wanted late.

; case: a long way of results
.linear
; schedule: cycles=801
 psmul %a0, f1, f2
.rept 99, k
 psmul %a{\k+1}, %a\k, f2
.endr
 swo %a99, (r1)+1
.endlinear
 stopi 0

; case: two predicates never share a bundle
# Two operations in each slot, and none of one predicate beside one of the other: four bundles.
; machine: core.arithmetic_latency=2 core.psprmsgn_latency=1
.linear
.scratch g15
.loop g2, min=64
; schedule: resource=2 ii=4
 if(cc1) psadd f1, f2, f3
 if(cc1) psadd f4, f2, f3
 if(cc2) psprmsgn f6:f7, f8:f9, 0, 1, 2, 3
 if(cc2) psprmsgn f10:f11, f8:f9, 0, 1, 2, 3
.endloop
.endlinear
 stopi 0

; case: one predicate does, and so does work without one
; machine: core.arithmetic_latency=2 core.psprmsgn_latency=1
.linear
.scratch g15
.loop g2, min=64
; schedule: resource=2 ii=3
 if(cc1) psadd f1, f2, f3
 psadd f4, f2, f3
 if(cc1) psprmsgn f6:f7, f8:f9, 0, 1, 2, 3
 if(cc2) psprmsgn f10:f11, f8:f9, 0, 1, 2, 3
.endloop
.endlinear
 stopi 0

; case: a cycle of results through two operations
.linear
.scratch g15
 copy %s, f0
.loop g2, min=16
; schedule: recurrence=16 ii=16
 lwo %x, (r0)+1
 psadd %t, %s, %x
 psmul %s, %t, f1
.endloop
 swo %s, (r1)+1
.endlinear
 stopi 0

; case: two cycles, of which one is tighter
.linear
.scratch g15
 copy %s, f0
 copy %p, f0
.loop g2, min=16
; schedule: recurrence=16 ii=16
 lwo %x, (r0)+1
 psmadd %p, %x, f1
 psadd %t, %s, %p
 psmul %s, %t, f1
.endloop
 swo %s, (r1)+1
 swo %p, (r1)+1
.endlinear
 stopi 0

; case: a count that is stepped beside the work is no bound
.linear
.disjoint r0, r1
.scratch g15
.loop 40
; schedule: recurrence=8 ii=8
 lwo %x, (r0)+1
 inci f9, 1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: coefficients are wanted late
.linear
.disjoint r0, r1
.scratch g15
.loop 40
; schedule: ii=20
 lwi %k, 100
 lwi %l, 101
 lwo %x, (r0)+1
 psmul %y, %x, f0
 psmul %z, %y, %k
 psadd %w, %z, %l
 swo %w, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a cycle through memory beside other work
.linear
.scratch g15
.loop 40
; schedule: recurrence=21 ii=22
 lwo %x, (r0)+1
 lwo %y, (r1)
 psmul %z, %x, %y
 psadd %u, %z, %x
 swo %u, (r1)+1
 psmul %v, %x, f1
 psadd %w, %v, %z
 swo %w, (r2)+1
.endloop
.endlinear
 stopi 0

; case: more work than one cycle leaves room for
.linear
.scratch g15
.disjoint r0, r1, r2
 copy %s, f0
.loop g2, min=32, multiple=4
; schedule: recurrence=8 ii=8
 lwo %x, (r0)+1
 lwo %y, (r1)+1
 psmul %a, %x, f1
 psmul %b, %y, f2
 psmadd %s, %a, %b
 psadd %c, %a, %s
 pssub %d, %b, %s
 psmul %e, %c, %d
 psmul %f, %e, %a
 swo %e, (r2)+1
 swo %f, (r2)+1
.endloop
 swo %s, (r2)+1
.endlinear
 stopi 0

; case: straight code of both slots
.linear
; schedule: cycles=29
.disjoint r0, r1
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 psmul %c, %a, %b
 swaphl %d, %a
 psmadd %c, %d, %b
 lwo %e, (r0)+1
 psadd %f, %e, %d
 recip %f.hi, %f.lo
 mffpr g4, %b, s1
 mtfpr %g, g4, all
 psadd %h, %g, %c
 swo %f, (r1)+1
 swo %h, (r1)+1
.endlinear
 stopi 0

; case: code behind a loop waits for what is under way
.linear
; schedule: cycles=13+8*g2
.scratch g15
.loop g2, min=4
 lwo %x, (r0)+1
 psmadd f1, %x, f0
.endloop
 psadd f2, f1, f1
 swo f2, (r1)+1
.endlinear
 stopi 0

; case: one that lands behind the last bundle in a register that the program names
# A product and a difference: 8 + 8.
.linear
.scratch g15
.loop g2
; schedule: ii=16
 lwo %v1, (r3)+1
 mffpr g7, %v1, s0
 move a5, g7
 lwo %v2, (r5)+1
 lwo %v3, (r0)+1
 cmul %v6, %v3, f3
 cmsub f3, f2, %v6
.endloop
.endlinear
 stopi 0
