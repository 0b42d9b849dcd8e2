# Values of constant expressions.

; case: operators bind as written in the book
nop
.equ x0, 1 + 2 * 3
; symbol: x0=7
.equ x1, (1 + 2) * 3
; symbol: x1=9
.equ x2, 7 - 2 - 1
; symbol: x2=4
.equ x3, -7 / 2
; symbol: x3=-3
.equ x4, -7 % 4
; symbol: x4=-3
.equ x5, 1 << 4 + 1
; symbol: x5=32
.equ x6, -16 >> 2
; symbol: x6=-4
.equ x7, 6 & 3 ^ 8
; symbol: x7=10
.equ x8, 1 + 1 == 2
; symbol: x8=1
.equ x9, 3 < 2
; symbol: x9=0
.equ x10, !0 + !5
; symbol: x10=1
.equ x11, ~0 & 0xff
; symbol: x11=255
.equ x12, - - 3
; symbol: x12=3
.equ x13, 1_000 + 0x1_0 + 0b1_1
; symbol: x13=1019
.equ x14, ~0xffff_ffff_ffff_ffff
; symbol: x14=0
.equ x15, 0xffffffffffffffff - 0xfffffffffffffffe
; symbol: x15=1
.equ x16, 0X1F + 0B11
; symbol: x16=34

; case: functions
nop
.equ x0, bitrev(1, 13)
; symbol: x0=4096
.equ x1, bitrev(0b1101, 4)
; symbol: x1=11
.equ x2, bitrev(0, 0)
; symbol: x2=0
.equ x3, log2(1024)
; symbol: x3=10
.equ x4, log2(1023)
; symbol: x4=9
.equ x5, min(3, -1, 2)
; symbol: x5=-1
.equ x6, max(3, -1, 2)
; symbol: x6=3
.equ x7, or(1, 2, 0x10)
; symbol: x7=19
.equ x8, abs(-5)
; symbol: x8=5
.equ x9, f32(1.5)
; symbol: x9=1069547520
.equ x10, f32(-0.0)
; symbol: x10=2147483648
.equ x11, f32(3)
; symbol: x11=1077936128
.equ x12, f32(1.5 * 2 + 1)
; symbol: x12=1082130432
.equ x13, f32(inf)
; symbol: x13=2139095040
.equ x14, f32(nan)
; symbol: x14=2147483647
.equ x15, f32(1e-3)
; symbol: x15=981668463
.equ x16, 1.5 < 2
; symbol: x16=1

; case: a literal is rounded once
# Twice rounded, through double precision, it would be 1.0.
nop
.equ x, f32(1.00000005960464477540)
; symbol: x=1065353217
