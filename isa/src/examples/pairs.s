# Worked examples of operations on pairs of floats, of conversions, and of 2 x 2 matrices.

; case: psadd
;; 2^24 + 1 lies between two floats and is rounded to the even one: Inexact, bit 12 of the cause and bit 2 of the flags of FCSR
        psadd   f1, f2, f3
        stopi   0
; run: f2 = 16777216.0:1.5  f3 = 1.0:2.25
; state: f1 = 16777216.0:3.75  fcsr = 0x1004

; case: pssub
        pssub   f1, f2, f3
        stopi   0
; run: f2 = 5.0:1.0  f3 = 2.0:4.0
; state: f1 = 3.0:-3.0

; case: psaddsub
;; The sums go to D, the differences to Q
        psaddsub f1, f2, f3, f4
        stopi   0
; run: f2 = 5.0:1.0  f3 = 2.0:4.0
; state: f1 = 7.0:5.0  f4 = 3.0:-3.0

; case: psneg
        psneg   f1, f2
        stopi   0
; run: f2 = 1.5:-0.0
; state: f1 = -1.5:0.0

; case: psmul
;; The low half overflows: Overflow and Inexact
        psmul   f1, f2, f3
        stopi   0
; run: f2 = 1.5:3.0e38  f3 = -4.0:10.0
; state: f1 = -6.0:inf  fcsr = 0x5014

; case: psmadd
;; The product is rounded before it is added: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 becomes 1 + 2^-11, and nothing is left of the sum
        psmadd  f1, f2, f3
        stopi   0
; run: f1 = -1.00048828125:1.0  f2 = 1.000244140625:2.0  f3 = 1.000244140625:3.0
; state: f1 = 0.0:7.0  fcsr = 0x1004

; case: psmsub
;; D - S T, not S T - D
        psmsub  f1, f2, f3
        stopi   0
; run: f1 = 10.0:20.0  f2 = 1.5:2.0  f3 = 4.0:-3.0
; state: f1 = 4.0:26.0

; case: psabs
        psabs   f1, f2
        stopi   0
; run: f2 = -1.5:2.0
; state: f1 = 1.5:2.0

; case: mvmul
;; Rows are S and D: (1 2; 3 4) times (10, 100)
        mvmul   f1, f2, f3, f4
        stopi   0
; run: f1 = 3.0:4.0  f2 = 1.0:2.0  f3 = 10.0:100.0
; state: f4 = 210.0:430.0

; case: mtvmul
;; Columns are S and D: (1 3; 2 4) times (10, 100)
        mtvmul  f1, f2, f3, f4
        stopi   0
; run: f1 = 3.0:4.0  f2 = 1.0:2.0  f3 = 10.0:100.0
; state: f4 = 310.0:420.0

; case: mvmadd
;; Rows are S and the next register: (1 2; 3 4) times (10, 100) is (210, 430)
        mvmadd  f1, f2, f4
        stopi   0
; run: f1 = 1000.0:2000.0  f2 = 1.0:2.0  f3 = 3.0:4.0  f4 = 10.0:100.0
; state: f1 = 1210.0:2430.0

; case: mtvmadd
;; Columns are S and the next register: (1 3; 2 4) times (10, 100) is (310, 420)
        mtvmadd f1, f2, f4
        stopi   0
; run: f1 = 1000.0:2000.0  f2 = 1.0:2.0  f3 = 3.0:4.0  f4 = 10.0:100.0
; state: f1 = 1310.0:2420.0

; case: mvmsub
;; Rows are S and the next register: (1 2; 3 4) times (10, 100) is (210, 430)
        mvmsub  f1, f2, f4
        stopi   0
; run: f1 = 1000.0:2000.0  f2 = 1.0:2.0  f3 = 3.0:4.0  f4 = 10.0:100.0
; state: f1 = 790.0:1570.0

; case: mtvmsub
;; Columns are S and the next register: (1 3; 2 4) times (10, 100) is (310, 420)
        mtvmsub f1, f2, f4
        stopi   0
; run: f1 = 1000.0:2000.0  f2 = 1.0:2.0  f3 = 3.0:4.0  f4 = 10.0:100.0
; state: f1 = 690.0:1580.0

; case: qsdot
;; 1*10 + 2*20 + 3*30 + 4*40 = 300, into the low half, as mode 0 says; mode 1 means the high half
        qsdot   f1, f2, f4, 0
        stopi   0
; run: f1 = 7.0:8.0  f2 = 1.0:2.0  f3 = 3.0:4.0  f4 = 10.0:20.0  f5 = 30.0:40.0
; state: f1 = 7.0:300.0

; case: pscopysign
;; The magnitude of S, the sign of T
        pscopysign f1, f2, f3
        stopi   0
; run: f2 = 1.5:-2.0  f3 = -0.0:7.0
; state: f1 = -1.5:2.0

; case: psgetexp
;; 6 = 1.5 * 2^2, 0.375 = 1.5 * 2^-2; the exponents are whole numbers
        psgetexp f1, f2
        stopi   0
; run: f2 = 6.0:0.375
; state: f1 = 2:-2

; case: psgetman
;; -6 = -1.5 * 2^2, 0.375 = 1.5 * 2^-2
        psgetman f1, f2
        stopi   0
; run: f2 = -6.0:0.375
; state: f1 = -1.5:1.5

; case: psscale
;; 1.5 * 2^2, 3 * 2^-1; T has whole numbers
        psscale f1, f2, f3
        stopi   0
; run: f2 = 1.5:3.0  f3 = 2:-1
; state: f1 = 6.0:1.5

; case: pwtops
;; 2^24 + 1 is no float: it is rounded as CONTROL says, and Inexact is raised
        pwtops  f1, f2
        stopi   0
; run: f2 = 16777217:-3
; state: f1 = 16777216.0:-3.0  fcsr = 0x1004

; case: pstopw
;; Rounded as CONTROL says: to nearest even after reset. Inexact
        pstopw  f1, f2
        stopi   0
; run: f2 = 2.5:-3.5
; state: f1 = 2:-4  fcsr = 0x1004

; case: unpck16wstops
;; D from the high half of T, S from the low one: 1, -2, 32767, -32768
        unpck16wstops f1, f2, f3
        stopi   0
; run: f3 = 0x0001fffe7fff8000
; state: f1 = 1.0:-2.0  f2 = 32767.0:-32768.0
