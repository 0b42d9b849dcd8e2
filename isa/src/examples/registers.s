# Worked examples of scalar registers, of moves between them and FPRs, and of permutations.

; case: move
;; An has 13 bits: those above are lost
        move    a1, g2
        stopi   0
; run: g2 = 0xffff2005  a1 = 7
; state: a1 = 5

; case: clr
        clr     r1
        stopi   0
; run: a1 = 100  n1 = 3  m1 = 7
; state: a1 = 0  n1 = 1  m1 = 0x1fff

; case: seti
;; Zero-extended: 0xffff is 65535, not -1
        seti    g1, 0xffff
        stopi   0
; run: g1 = 0x123456789abcdef0
; state: g1 = 65535

; case: updaddr
;; With Mn = 0x1fff, as after reset, addresses count modulo 8192
        updaddr (r1)-3
        stopi   0
; run: a1 = 1  m1 = 0x1fff
; state: a1 = 8190

; case: updaddrnp
;; With Mn = 0 the carry runs from the highest bit down, which gives the order of a transform's bit-reversed data
        updaddrnp (r1)+n1
        stopi   0
; run: a1 = 4096  n1 = 4096  m1 = 0
; state: a1 = 2048

; case: updaddrnm
;; With any other Mn only its bits change: 96 to 103 is a circle of 8 words, and 4 before 97 is 101
        updaddrnm (r1)-n1
        stopi   0
; run: a1 = 97  n1 = 4  m1 = 7
; state: a1 = 101

; case: mtfpr
;; To section 2 alone; `all` stands for every section
        mtfpr   f1, g1, s2
        stopi   0
; run: g1 = 5  f1 = {1, 2, 3, 4}
; state: f1 = {1, 2, 5, 4}

; case: mffpr
;; All 64 bits of one section
        mffpr   g1, f1, s2
        stopi   0
; run: f1 = {1, 2, 0x4000000000000003, 4}
; state: g1 = 0x4000000000000003

; case: psprmsgn0
;; Words: 0 f2.lo, 1 f2.hi, 2 f3.lo, 3 f3.hi, and word k has 10 + k here. They go to f4.lo, f4.hi, f5.lo, f5.hi in this order, word 0 with its sign flipped
        psprmsgn f4, f2, 3, -0, 1, 2
        stopi   0
; run: f2 = 11.0:10.0  f3 = 13.0:12.0
; state: f4 = -10.0:13.0  f5 = 12.0:11.0

; case: psprmsgn1
;; Words: 0 f2.lo, 1 f2.hi, 2 f3.lo, 3 f3.hi, and word k has 10 + k here. The halves of both registers are exchanged
        psprmsgn f40, f2, 1, 0, 3, 2
        stopi   0
; run: f2 = 11.0:10.0  f3 = 13.0:12.0
; state: f40 = 10.0:11.0  f41 = 12.0:13.0
