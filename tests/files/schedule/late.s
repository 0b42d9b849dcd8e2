# Kernels whose exchange slot is full, so that the `do` has a bundle of its own before them and the kernel
# begins a cycle late: for it, what was issued before lands a cycle earlier. A result that nothing reads then
# must not land together with a value that shares its register and has to stay.

; case: a load that nothing reads beside an arithmetic result
# Of the two that land together the arithmetic result stays ([L]: loads are written first), so the register
# can be shared. As long as the engine took the last one to be issued, this was refused with C0609.
; init: f1.hi = 0x3f800000 f1.lo = 0x40000000
; run: g2=8
; check: off the region begins with registers after reset
; state: g6 = 0 a0 = 32
.linear
.scratch g15
.loop g2, min=8
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 lwi %v1, 28
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0

; case: the issue's counts: at least 3
.linear
.scratch g15
.loop g2, min=3
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 lwi %v1, 28
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0

; case: the issue's counts: at least 16
.linear
.scratch g15
.loop g2, min=16
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 lwi %v1, 28
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0

; case: the issue's counts: 5
.linear
.scratch g15
.loop 5
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 lwi %v1, 28
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0

; case: a general register that nothing reads beside an arithmetic result
# `mtfpr` lands with the arithmetic result behind which it was issued, and stays: another start, or other registers.
; run: g2=8
; check: off the region begins with registers after reset
; state: g6 = 0 a0 = 32
.linear
.scratch g15
.loop g2, min=8
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 mtfpr %v1, g3, all
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0

; case: a permutation that nothing reads beside an arithmetic result
; run: g2=8
; check: off the region begins with registers after reset
; state: g6 = 0 a0 = 32
.linear
.scratch g15
.loop g2, min=8
; schedule: ii=3
 swo f0, (r0)+4
 cneg %v0, f1
 psprmsgn %v1:%v2, f4:f5, 0, 1, 2, 3
 mffpr g6, f9, s0
 psadd %v3, f5, %v0
.endloop
.endlinear
 stopi 0
