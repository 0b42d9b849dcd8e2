# Worked examples of complex arithmetic: the real part is in hi, the imaginary part in lo.

; case: cadd
        cadd    f1, f2, f3
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:-5.0
; state: f1 = 4.0:-3.0

; case: csub
        csub    f1, f2, f3
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:-5.0
; state: f1 = -2.0:7.0

; case: caddsub
;; The sum goes to D, the difference to Q
        caddsub f1, f2, f3, f4
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:-5.0
; state: f1 = 4.0:-3.0  f4 = -2.0:7.0

; case: cneg
;; Zeros change their sign too
        cneg    f1, f2
        stopi   0
; run: f2 = 1.0:0.0
; state: f1 = -1.0:-0.0

; case: cmul
;; (1 + 2i)(3 + 4i) = 3 - 8 + (4 + 6)i
        cmul    f1, f2, f3
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = -5.0:10.0

; case: cmadd
;; 100 + 200i + (1 + 2i)(3 + 4i), the product being -5 + 10i
        cmadd   f1, f2, f3
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 95.0:210.0

; case: cmsub
;; 100 + 200i - (1 + 2i)(3 + 4i), the product being -5 + 10i
        cmsub   f1, f2, f3
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 105.0:190.0

; case: cmuli
;; (1 + 2i) i = -2 + i
        cmuli   f1, f2
        stopi   0
; run: f2 = 1.0:2.0
; state: f1 = -2.0:1.0

; case: cmulni
;; (1 + 2i)(-i) = 2 - i
        cmulni  f1, f2
        stopi   0
; run: f2 = 1.0:2.0
; state: f1 = 2.0:-1.0

; case: cconj
        cconj   f1, f2
        stopi   0
; run: f2 = 1.0:2.0
; state: f1 = 1.0:-2.0

; case: cbutterfly
;; RIND is a quarter of a turn, so w = i and S w = -2 + i; D becomes D + S w and S becomes D - S w of the old D. RIND steps
        cbutterfly f1, f2
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  rind = 16384  rstep = 8
; state: f1 = 98.0:201.0  f2 = 102.0:199.0  rind = 16392

; case: cbutterfly2
;; S T = (1 + 2i)(3 + 4i) = -5 + 10i; D becomes D + S T and S becomes D - S T of the old D
        cbutterfly2 f1, f2, f3
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 95.0:210.0  f2 = 105.0:190.0

; case: chmul
;; (1 + 2i)(3 - 4i) = 3 + 8 + (-4 + 6)i
        chmul   f1, f2, f3
        stopi   0
; run: f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 11.0:2.0

; case: chmadd
;; 100 + 200i + (1 + 2i)(3 - 4i), the product being 11 + 2i
        chmadd  f1, f2, f3
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 111.0:202.0

; case: chmsub
;; 100 + 200i - (1 + 2i)(3 - 4i), the product being 11 + 2i
        chmsub  f1, f2, f3
        stopi   0
; run: f1 = 100.0:200.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 89.0:198.0
