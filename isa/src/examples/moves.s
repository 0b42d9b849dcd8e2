# Worked examples of operations that move bits, of FCSR and FCCR, and of comparisons.

; case: nop
;; Both halves of a bundle may be empty; it takes a cycle and changes nothing
        nop
        stopi   0
; run: f1 = 1.0:2.0
; state: f1 = 1.0:2.0

; case: c
;; 1 < 2 in the high halves sets cc2, 5 < 4 in the low ones clears cc1; bit 0 of FCCR is always 1
        c.lt.ps cc1, f2, f3
        stopi   0
; run: f2 = 1.0:5.0  f3 = 2.0:4.0  fccr = 0x03
; state: fccr = 0x05

; case: clear
        clear   f1, f2
        stopi   0
; run: f1 = 1.0:2.0  f2 = 3.0:4.0
; state: f1 = 0.0:0.0  f2 = 0.0:0.0

; case: copy
;; Under a predicate the sections whose condition code is 0 keep what they have
        if(cc1) copy f1, f2
        stopi   0
; run: f1 = 1.0:1.5  f2 = 2.0:2.5  fccr = {0x03, 0x01, 0x03, 0x01}
; state: f1 = {2.0:2.5, 1.0:1.5, 2.0:2.5, 1.0:1.5}

; case: swaphl
        swaphl  f1, f2
        stopi   0
; run: f2 = 1.0:2.0
; state: f1 = 2.0:1.0

; case: swap64
        swap64  f1, f2
        stopi   0
; run: f1 = 1.0:2.0  f2 = 3.0:4.0
; state: f1 = 3.0:4.0  f2 = 1.0:2.0

; case: section
;; A whole number in the low half; the high half becomes 0
        section f1
        stopi   0
; run: f1 = 7.0:8.0
; state: f1 = {0, 1, 2, 3}

; case: li3
        li3     f1, 0x4000
        stopi   0
; run: f1 = 0x1111222233334444
; state: f1 = 0x4000222233334444

; case: li2
        li2     f1, 0xabcd
        stopi   0
; run: f1 = 0x1111222233334444
; state: f1 = 0x1111abcd33334444

; case: li1
        li1     f1, 0xabcd
        stopi   0
; run: f1 = 0x1111222233334444
; state: f1 = 0x11112222abcd4444

; case: li0
        li0     f1, 0xabcd
        stopi   0
; run: f1 = 0x1111222233334444
; state: f1 = 0x111122223333abcd

; case: mfc
;; The condition codes of each section; the high half becomes 0
        mfc     f1, fccr
        stopi   0
; run: f1 = 7.0:8.0  fccr = {0x03, 0x05, 0x09, 0x01}
; state: f1 = {3, 5, 9, 1}

; case: mtc
;; Of D.lo the flags (bits 7:2) and the cause (17:12) are written. STATUS.FPE (bits 21:16) becomes the flags, here O and I
        mtc     f1, fcsr
        stopi   0
; run: f1 = 0xffffffff00405016  status = 0x200000
; state: fcsr = 0x5014  status = 0x50004

; case: mtrans
;; S and T are the rows of a matrix; D and Q become its columns
        mtrans  f1, f2, f3, f4
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 1.0:3.0  f4 = 2.0:4.0

; case: getcoeff
;; RIND is seven eighths of a turn: cos and sin of -45 degrees. Then RIND steps by a quarter, past a whole turn to an eighth
        getcoeff f1
        stopi   0
; run: rind = 57344  rstep = 16384
; state: f1 = 0.70710677:-0.70710677  rind = 8192
