; Small regions in which one rule of the scheduler decides, so that another rule makes another schedule. `schedules.rs`
; holds the schedules.

; case: loads stay apart where the second register is read between them
.linear
.even r0
.loop 64
 lwo %b, (r1)+1
 lwo %a, (r0)+1
 psmadd f0, %b, %b
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f1, %a, %b
 psmadd f2, %c, %d
.endloop
.endlinear
 stopi 0

; case: a load that is part of a double load is no part of a second one
.linear
.even r0
.loop 64
 lwo %a, (r0)+1
 lwo %b, (r0)-1
 lwo %c, (r0)+2
 lwo %d, (r0)+1
 lwo %e, (r0)+1
 psmadd f0, %a, %b
 psmadd f1, %c, %d
.endloop
.endlinear
 stopi 0

; case: of loads that may become one, the nearest come first
.linear
.even r0, r1
.loop 10
 lwo %v3, (r0)-1
 lwo %v8, (r0)+1
 lwo %v11, (r0)+1
 lwo %v12, (r0)+1
.endloop
.endlinear
 stopi 0

; case: loads stay single where both slots are as full
.linear
.even r0, r1
.loop g2
 lwo %v1, (r1)+1
 lwo %v2, (r1)+1
 swaphl %v3, %v1
 updaddr (r0)-3
 psadd %v4, %v3, %v3
 cadd %v5, %v2, %v1
.endloop
.endlinear
 stopi 0

; case: the solver gives up where two predicates fill both slots
; machine: core.arithmetic_latency=2 core.psprmsgn_latency=1
.linear
.scratch g15
.loop g2, min=64
.rept 9, k
 if(cc1) psadd f\k, f20, f21
.endr
.rept 9, k
 if(cc2) psprmsgn f{30+2*\k}:f{31+2*\k}, f22:f23, 0, 1, 2, 3
.endr
.endloop
.endlinear
 stopi 0

; case: operations on cycles come first where one goes backward
.linear
.scratch g15
.keep f14-f63
.disjoint r0, r1
.loop 100
.rept 12, k
 lwo %x\k, (r0)+1
 psmul %y\k, %x\k, f0
 psadd %z\k, %y\k, %x\k
 swo %z\k, (r1)+1
.endr
.endloop
.endlinear
 stopi 0

; case: the solver takes a loop of 48 operations, which has too few registers for its least interval
.linear
.scratch g15
.keep f8-f63
.disjoint r0, r1
.loop 100
.rept 12, k
 lwo %x\k, (r0)+1
 psmul %y\k, %x\k, f0
 psadd %z\k, %y\k, %x\k
 swo %z\k, (r1)+1
.endr
.endloop
.endlinear
 stopi 0

; case: operations are placed late where one goes backward
.linear
.scratch g15
.disjoint r0, r1, r2
.loop g2, min=8, multiple=4
 swo f2, (r0)+1
 ldo %v1:%v2, (r0)+2
 cadd %v3, %v2, %v1
 copy %v4, %v2
 swaphl %v5, %v2
 lwo %v7, (r2)+1
 lwo %v8, (r2)+1
 ldo %v9:%v10, (r2)+2
 swi f2, 0
 swaphl %v11, %v5
.endloop
.endlinear
 stopi 0

; case: a cell from which an operation had to go is free again
.linear
.scratch g15
.loop g2, min=8, multiple=4
 ldo %v1:%v2, (r0)+2
 cadd %v3, %v2, %v1
 swaphl %v5, %v2
 cmul %v6, %v2, %v3
 lwo %v7, (r2)+1
 lwo %v8, (r2)+1
 swi f2, 0
.endloop
.endlinear
 stopi 0

; case: rows of registers come before single ones that begin with them
; machine: core.arithmetic_latency=5
.linear
.keep f8-f63
.disjoint r0, r1, r2
 cadd %v1, f2, f0
 swaphl %v2, %v1
 psmul %v3, %v1, %v2
 psmadd f1, %v2, %v3
 swo %v2, (r1)+1
 ldo %v6:%v7, (r1)+2
 ldo %v8:%v9, (r2)+2
 lwo %v12, (r1)+1
 ldo %v14:%v15, (r1)+2
 copy %v16, %v15
 swaphl %v17, %v14
 swaphl %v18, %v17
 swaphl %v19, %v14
 ldo %v20:%v21, (r0)+2
 cmul %v22, %v20, %v21
 swi f0, 2
 ldo %v24:%v25, (r2)+2
 psmadd f2, %v15, %v2
 psmadd f1, %v24, %v25
.endlinear
 stopi 0

; case: an interval of one cycle, and a store in the last one
.linear
.scratch g15
.loop g2, min=64, multiple=32
 psadd %x, f0, f1
 swo %x, (r0)+1
.endloop
.endlinear
 stopi 0

; case: parts of one value share a register in the cycle between them
.linear
.keep f6-f63
.loop 8
 cadd %v1, f0, f1
 psadd %v3, %v1, %v1
 li1 %v3, 7
 cadd %v6, %v3, f0
 psmul %v7, %v6, %v1
.endloop
.endlinear
 stopi 0

; case: a value that lives in every cycle is counted among the crowd
.linear
.keep f4-f63
 copy %s0, f0
.loop g2, min=4
 copy %v1, f1
 psadd %v2, f1, %v1
 psadd %v3, %v2, %v1
.endloop
 swo %s0, (r2)+1
.endlinear
 stopi 0

; case: a value that lives around the end of the interval is counted as well
.linear
.keep f3-f63
.loop g2, min=4
 psmul %v1, f0, f1
 ldo %v3:%v4, (r0)+2
.endloop
.endlinear
 stopi 0
