# Worked examples of operations on integers and bits. HI:LO are the halves of a register; -1 is 0xffffffff.

; case: add
        add     f1, f2, f3
        stopi   0
; run: f2 = 1:0x7fffffff  f3 = 2:1
; state: f1 = 3:0x80000000

; case: sub
        sub     f1, f2, f3
        stopi   0
; run: f2 = 1:5  f3 = 2:3
; state: f1 = -1:2

; case: abs
;; The least number has no counterpart and becomes the largest
        abs     f1, f2
        stopi   0
; run: f2 = -5:0x80000000
; state: f1 = 5:0x7fffffff

; case: neg
;; The least number has no counterpart and becomes the largest
        neg     f1, f2
        stopi   0
; run: f2 = 5:0x80000000
; state: f1 = -5:0x7fffffff

; case: addi
        addi    f1, f2, -3
        stopi   0
; run: f2 = 10:1
; state: f1 = 7:-2

; case: subi
        subi    f1, f2, 5
        stopi   0
; run: f2 = 10:1
; state: f1 = 5:-4

; case: inci
        inci    f1, 100
        stopi   0
; run: f1 = 1:-1
; state: f1 = 101:99

; case: deci
        deci    f1, 1
        stopi   0
; run: f1 = 1:0
; state: f1 = 0:-1

; case: and
        and     f1, f2, f3
        stopi   0
; run: f2 = 0xff00ff00ff00ff00  f3 = 0x0ff00ff00ff00ff0
; state: f1 = 0x0f000f000f000f00

; case: or
        or      f1, f2, f3
        stopi   0
; run: f2 = 0xff00ff00ff00ff00  f3 = 0x0ff00ff00ff00ff0
; state: f1 = 0xfff0fff0fff0fff0

; case: xor
        xor     f1, f2, f3
        stopi   0
; run: f2 = 0xff00ff00ff00ff00  f3 = 0x0ff00ff00ff00ff0
; state: f1 = 0xf0f0f0f0f0f0f0f0

; case: not
        not     f1, f2
        stopi   0
; run: f2 = 0xff00ff0000000001
; state: f1 = 0x00ff00fffffffffe

; case: lshift
;; By -4 of T.lo, which is to the right, both halves; zeros come in
        lshift  f1, f2, f3
        stopi   0
; run: f2 = 0x80000010:0x100  f3 = 9:-4
; state: f1 = 0x08000001:0x10

; case: lshifti
;; Bits that leave a half are lost
        lshifti f1, f2, 8
        stopi   0
; run: f2 = 0x00000001:0x01000002
; state: f1 = 0x00000100:0x00000200

; case: ashift
;; By -4 of T.lo, which is to the right, both halves; copies of the sign come in
        ashift  f1, f2, f3
        stopi   0
; run: f2 = 0x80000010:0x100  f3 = 9:-4
; state: f1 = 0xf8000001:0x10

; case: ashifti
;; 32 to the right leaves the sign alone
        ashifti f1, f2, -32
        stopi   0
; run: f2 = -5:5
; state: f1 = -1:0

; case: split8
;; Bits 15:8 of each half, 0x80 and 0x7f, with their sign
        split8  f1, f2
        stopi   0
; run: f2 = 0x12348056:0x00007f00
; state: f1 = -128:127

; case: split16
;; Bits 31:16 of each half, with their sign
        split16 f1, f2
        stopi   0
; run: f2 = 0x80001234:0x7fff0000
; state: f1 = -32768:32767

; case: split32
        split32 f1, f2
        stopi   0
; run: f2 = 0x12345678:9
; state: f1 = 0:0x12345678

; case: extsign8h
;; Of each 16 bits the lower 8 stay: 0x80 becomes 0xff80, 0x34 becomes 0x0034
        extsign8h f1
        stopi   0
; run: f1 = 0x12801234ff7f00ff
; state: f1 = 0xff800034007fffff

; case: extsign8w
;; Of each half the lower 8 bits stay, 0x80 and 0x7f
        extsign8w f1
        stopi   0
; run: f1 = 0x12345680:0xffffff7f
; state: f1 = -128:127

; case: extsign16w
;; Of each half the lower 16 bits stay, 0x8000 and 0x7fff
        extsign16w f1
        stopi   0
; run: f1 = 0x12348000:0x00017fff
; state: f1 = -32768:32767

; case: join8
;; Of each half: the lowest byte of D, above it that of S, zeros above
        join8   f1, f2
        stopi   0
; run: f1 = 0x111111aa:0x222222bb  f2 = 0x333333cc:0x444444dd
; state: f1 = 0x0000ccaa:0x0000ddbb

; case: join16
;; Of each half: the lower 16 bits of D, above them those of S
        join16  f1, f2
        stopi   0
; run: f1 = 0x1111aaaa:0x2222bbbb  f2 = 0x3333cccc:0x4444dddd
; state: f1 = 0xccccaaaa:0xddddbbbb

; case: join32
;; D keeps its low half
        join32  f1, f2
        stopi   0
; run: f1 = 1.0:2.0  f2 = 3.0:4.0
; state: f1 = 4.0:2.0
