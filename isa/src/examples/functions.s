# Worked examples of elementary functions and argument reductions.

; case: recip
;; 1/3, truncated: 0x3eaaaaaa, below 0x3eaaaaab, which is nearest. The high half of D stays
        recip   f1.lo, f2.hi
        stopi   0
; run: f1 = 7.0:8.0  f2 = 3.0:4.0
; state: f1 = 7.0:0x3eaaaaaa  fcsr = 0x1004

; case: sinc
;; sin(45 degrees) / 0.5; the sign of x does not matter
        sinc    f1.lo, f2.lo
        stopi   0
; run: f1 = 7.0:8.0  f2 = 0.25:-0.5
; state: f1 = 7.0:1.4142135  fcsr = 0x1004

; case: atanc
;; (2/pi) atan(0.5) / 0.5 = 0.59033, truncated
        atanc   f1.hi, f2.lo
        stopi   0
; run: f1 = 7.0:8.0  f2 = 0.25:0.5
; state: f1 = 0x3f172028:8.0  fcsr = 0x1004

; case: log2c
;; log2(1.5) / 0.5 = 1.16993, truncated; times x - 1 it is the logarithm
        log2c   f1.lo, f2.hi
        stopi   0
; run: f1 = 7.0:8.0  f2 = 1.5:1.25
; state: f1 = 7.0:0x3f95c01a  fcsr = 0x1004

; case: exp2
;; 2^-0.5, truncated
        exp2    f1.lo, f2.lo
        stopi   0
; run: f1 = 7.0:8.0  f2 = 1.0:-0.5
; state: f1 = 7.0:0x3f3504f3  fcsr = 0x1004

; case: rsqrt
;; 1 / sqrt(4). Inexact tells of a bit of the result too, so it is raised here
        rsqrt   f1.hi, f2.lo
        stopi   0
; run: f1 = 7.0:8.0  f2 = 9.0:4.0
; state: f1 = 0.5:8.0  fcsr = 0x1004

; case: rrcossin
;; Of S.lo alone, in quarters of a turn: 2.5 is half a turn and an eighth; D.hi for the cosine, D.lo for the sine
        rrcossin f1, f2
        stopi   0
; run: f2 = 9.0:-2.5
; state: f1 = -0.5:0.5

; case: rrsin
;; sin of 1.5 quarters of a turn is sin of 0.5, of 2.5 quarters sin of -0.5
        rrsin   f1, f2
        stopi   0
; run: f2 = 1.5:2.5
; state: f1 = 0.5:-0.5

; case: rrcos
;; cos of 1 quarter of a turn is sin of -0, of 3.5 quarters sin of 0.5
        rrcos   f1, f2
        stopi   0
; run: f2 = 1.0:3.5
; state: f1 = -0.0:0.5

; case: rrlog2
;; 3 = 1.5 * 2^1, -0.5 = -1 * 2^-1; D has the significands, Q the exponents as floats
        rrlog2  f1, f2, f3
        stopi   0
; run: f2 = 3.0:-0.5
; state: f1 = 1.5:-1.0  f3 = 1.0:-1.0
