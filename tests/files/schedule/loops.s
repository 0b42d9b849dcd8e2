# Intervals of small loops whose bounds are known by hand. Every `schedule:` also compares the predicted cycles
# with the engine.

; case: a stream runs at its resource bound
# Load 3, product 8, store 1: twelve cycles, six intervals.
.linear
; schedule: cycles=22+2*g2
.scratch g15
.disjoint r0, r1
.loop g2, min=12
; schedule: ii=2 resource=2 recurrence=1 stages=6
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: sets that may meet keep their order
# Load, product, store, and the next load behind the store: 3 + 8 + 1.
.linear
.scratch g15
.loop 40
; schedule: ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: one set knows its own distances
.linear
.scratch g15
.loop 40
; schedule: ii=2
 lwo %x, (r0)
 psmul %y, %x, f0
 swo %y, (r0)+1
.endloop
.endlinear
 stopi 0

; case: a store that reaches what a load two iterations later needs
# 12 cycles in two iterations.
.linear
.scratch g15
.loop 40
; schedule: ii=6
 lwo %x, (r0)+2
 psmul %y, %x, f0
 swo %y, (r0)-1
.endloop
.endlinear
 stopi 0

; case: 1 accumulator
# An accumulator costs its latency.
.linear
.scratch g15
 copy %s0, f0
.loop 64
; schedule: ii=8
 lwo %x0, (r0)+1
 psmadd %s0, %x0, %x0
.endloop
 swo %s0, (r1)+1
.endlinear
 stopi 0

; case: 4 accumulators
.linear
.scratch g15
 copy %s0, f0
 copy %s1, f0
 copy %s2, f0
 copy %s3, f0
.loop 64
; schedule: ii=8
 lwo %x0, (r0)+1
 psmadd %s0, %x0, %x0
 lwo %x1, (r0)+1
 psmadd %s1, %x1, %x1
 lwo %x2, (r0)+1
 psmadd %s2, %x2, %x2
 lwo %x3, (r0)+1
 psmadd %s3, %x3, %x3
.endloop
 swo %s0, (r1)+1
 swo %s1, (r1)+1
 swo %s2, (r1)+1
 swo %s3, (r1)+1
.endlinear
 stopi 0

; case: 8 accumulators
.linear
.scratch g15
 copy %s0, f0
 copy %s1, f0
 copy %s2, f0
 copy %s3, f0
 copy %s4, f0
 copy %s5, f0
 copy %s6, f0
 copy %s7, f0
.loop 64
; schedule: ii=8
 lwo %x0, (r0)+1
 psmadd %s0, %x0, %x0
 lwo %x1, (r0)+1
 psmadd %s1, %x1, %x1
 lwo %x2, (r0)+1
 psmadd %s2, %x2, %x2
 lwo %x3, (r0)+1
 psmadd %s3, %x3, %x3
 lwo %x4, (r0)+1
 psmadd %s4, %x4, %x4
 lwo %x5, (r0)+1
 psmadd %s5, %x5, %x5
 lwo %x6, (r0)+1
 psmadd %s6, %x6, %x6
 lwo %x7, (r0)+1
 psmadd %s7, %x7, %x7
.endloop
 swo %s0, (r1)+1
 swo %s1, (r1)+1
 swo %s2, (r1)+1
 swo %s3, (r1)+1
 swo %s4, (r1)+1
 swo %s5, (r1)+1
 swo %s6, (r1)+1
 swo %s7, (r1)+1
.endlinear
 stopi 0

; case: 12 accumulators
.linear
.scratch g15
 copy %s0, f0
 copy %s1, f0
 copy %s2, f0
 copy %s3, f0
 copy %s4, f0
 copy %s5, f0
 copy %s6, f0
 copy %s7, f0
 copy %s8, f0
 copy %s9, f0
 copy %s10, f0
 copy %s11, f0
.loop 64
; schedule: ii=12
 lwo %x0, (r0)+1
 psmadd %s0, %x0, %x0
 lwo %x1, (r0)+1
 psmadd %s1, %x1, %x1
 lwo %x2, (r0)+1
 psmadd %s2, %x2, %x2
 lwo %x3, (r0)+1
 psmadd %s3, %x3, %x3
 lwo %x4, (r0)+1
 psmadd %s4, %x4, %x4
 lwo %x5, (r0)+1
 psmadd %s5, %x5, %x5
 lwo %x6, (r0)+1
 psmadd %s6, %x6, %x6
 lwo %x7, (r0)+1
 psmadd %s7, %x7, %x7
 lwo %x8, (r0)+1
 psmadd %s8, %x8, %x8
 lwo %x9, (r0)+1
 psmadd %s9, %x9, %x9
 lwo %x10, (r0)+1
 psmadd %s10, %x10, %x10
 lwo %x11, (r0)+1
 psmadd %s11, %x11, %x11
.endloop
 swo %s0, (r1)+1
 swo %s1, (r1)+1
 swo %s2, (r1)+1
 swo %s3, (r1)+1
 swo %s4, (r1)+1
 swo %s5, (r1)+1
 swo %s6, (r1)+1
 swo %s7, (r1)+1
 swo %s8, (r1)+1
 swo %s9, (r1)+1
 swo %s10, (r1)+1
 swo %s11, (r1)+1
.endlinear
 stopi 0

; case: registers are renamed where the count allows
# Loaded values live for ten cycles at an interval of 3.
.linear
.scratch g15
.disjoint r0, r1
.even r0, r1
.loop g2, min=16, multiple=4
; schedule: ii=3 unrolled=4
 ldo %x0:%x1, (r0)+2
 ldo %y0:%y1, (r1)
 psmadd %y0, %x0, f0
 psmadd %y1, %x1, f0
 sdo %y0:%y1, (r1)+2
.endloop
.endlinear
 stopi 0

; case: registers are not renamed where it does not
.linear
.scratch g15
.disjoint r0, r1
.even r0, r1
.loop g2, min=16
; schedule: ii=11 unrolled=1
 ldo %x0:%x1, (r0)+2
 ldo %y0:%y1, (r1)
 psmadd %y0, %x0, f0
 psmadd %y1, %x1, f0
 sdo %y0:%y1, (r1)+2
.endloop
.endlinear
 stopi 0

; case: without a promise no two iterations overlap
.linear
.scratch g15
.disjoint r0, r1
.loop g2
; schedule: trips=1 ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 1 is obeyed
# At most 12 cycles an iteration and 12 around.
.linear
; schedule: cycles=12
.scratch g15
.disjoint r0, r1
.loop 1
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 2 is obeyed
.linear
; schedule: cycles=14
.scratch g15
.disjoint r0, r1
.loop 2
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 3 is obeyed
.linear
; schedule: cycles=16
.scratch g15
.disjoint r0, r1
.loop 3
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 4 is obeyed
.linear
; schedule: cycles=18
.scratch g15
.disjoint r0, r1
.loop 4
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 5 is obeyed
.linear
; schedule: cycles=20
.scratch g15
.disjoint r0, r1
.loop 5
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 6 is obeyed
.linear
; schedule: cycles=22
.scratch g15
.disjoint r0, r1
.loop 6
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a count of 7 is obeyed
.linear
; schedule: cycles=24
.scratch g15
.disjoint r0, r1
.loop 7
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0

; case: nest of shape 1
.linear
.scratch g15
.loop 3
.loop 4
.loop 5
 ; schedule: ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endloop
.endloop
.endlinear
 stopi 0

; case: nest of shape 2
.linear
.scratch g15
.loop 3
 lwo %a, (r3)+1
.loop 4
 ; schedule: ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
 swo %a, (r4)+1
.endloop
.endlinear
 stopi 0

; case: nest of shape 3
.linear
.scratch g15
.loop g3
.loop 4
 ; schedule: ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endloop
.endlinear
 stopi 0

; case: nest of shape 4
.linear
.scratch g15
.loop 2000
.loop 4
 ; schedule: ii=12
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
 updaddr (r0)+1
.endloop
.endlinear
 stopi 0

; case: a virtual register beside the last physical ones
.linear
; schedule: cycles=24
.scratch g15
 copy %a, f1
 cbutterfly %a, f62
 copy f3, %a
.endlinear
 stopi 0

; case: two names of one register keep their order, a virtual and a physical one
.linear
; schedule: cycles=12
.scratch g15
.assign %x, f5
 lwi %x, 0
 psadd f6, f5, f5
 swi f6, 1
.endlinear
 stopi 0

; case: two names of one register keep their order
.linear
; schedule: cycles=13
.scratch g15
.assign %x, f5
.assign %y, f5
 lwi %x, 0
 lwi %y, 1
 psadd %z, %x, %y
 swi %z, 2
.endlinear
 stopi 0

; case: around the memory and back to the same word
.linear
; schedule: cycles=11
.scratch g15
 lwo %y, (r0)+4095
 updaddr (r0)+4095
 updaddr (r0)+2
 swo f1, (r0)
 psadd f9, %y, %y
.endlinear
 stopi 0

; case: the predicate has no bypass
.linear
; schedule: cycles=15
.scratch g15
 mtc f1, fccr
 if(cc3) mfc f2, fccr
.endlinear
 stopi 0

; case: promises far apart are checked
.linear
; schedule: cycles=29+1*g2
.scratch g15
.loop g2, min=5000, multiple=4096
 psadd f1, f2, f3
.endloop
.endlinear
 stopi 0

; case: promises about addresses from data are kept by the checker
.linear
.scratch g14, g15
.disjoint r1, r4, r8
.loop g5, min=16, multiple=8
; schedule: ii=5
 lwo %near, (r1)+1
 mffpr g6, %near, s0
 move a8, g6
 lwo %x, (r8)
 psmul %y, %x, f0
 swo %y, (r4)+1
.endloop
.endlinear
 stopi 0

; case: a register of `.keep` holds its value behind the region
; init: f0 = 0x0123456789abcdef
; run: g15=0
; check: off the region begins with registers after reset
; state: f0 = 0x0123456789abcdef
.linear
.keep f0
.loop 8
 lwo %a, (r0)+1
 psadd %b, %a, %a
 swo %b, (r1)+1
.endloop
.endlinear
 stopi 0

; case: a result that lands behind the last bundle makes the interval longer, where iterations may not overlap
# A load, a product and a difference: 2 + 8 + 8.
.linear
.scratch g15
.loop g2
; schedule: ii=18
 lwo %v1, (r3)+1
 mffpr g7, %v1, s0
 move a5, g7
 lwo %v2, (r5)+1
 lwo %v3, (r0)+1
 cmul %v6, %v3, f3
 cmsub %v3, f2, %v6
.endloop
.endlinear
 stopi 0
