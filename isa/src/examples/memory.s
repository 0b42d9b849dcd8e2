# Worked examples of loads and stores. The address is that before the step; words are counted.

; case: lwi
;; Each section from its own local memory
        lwi     f1, 100
        stopi   0
; run: [100] = {1, 2, 3, 4}
; state: f1 = {1, 2, 3, 4}

; case: lwo
        lwo     f1, (r1)+2
        stopi   0
; run: a1 = 100  [100] = 1.0:2.0
; state: f1 = 1.0:2.0  a1 = 102

; case: lwnp
        lwnp    f1, (r1)+n1
        stopi   0
; run: a1 = 100  n1 = 3  [100] = 1.0:2.0
; state: f1 = 1.0:2.0  a1 = 103

; case: lwnm
        lwnm    f1, (r1)-n1
        stopi   0
; run: a1 = 100  n1 = 3  [100] = 1.0:2.0
; state: f1 = 1.0:2.0  a1 = 97

; case: swi
;; Each section to its own local memory
        swi     f1, 100
        stopi   0
; run: f1 = {1, 2, 3, 4}
; state: [100] = {1, 2, 3, 4}

; case: swo
        swo     f1, (r1)-1
        stopi   0
; run: a1 = 100  f1 = 1.0:2.0
; state: [100] = 1.0:2.0  a1 = 99

; case: swnp
        swnp    f1, (r1)+n1
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 1.0:2.0
; state: [100] = 1.0:2.0  a1 = 103

; case: swnm
        swnm    f1, (r1)-n1
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 1.0:2.0
; state: [100] = 1.0:2.0  a1 = 97

; case: ldi
        ldi     f1, 100
        stopi   0
; run: [100] = 1.0:2.0, 3.0:4.0
; state: f1 = 1.0:2.0, 3.0:4.0

; case: ldo
;; The lowest bit of the address is ignored, so words 100 and 101 are loaded; the step keeps it
        ldo     f1, (r1)+2
        stopi   0
; run: a1 = 101  [100] = 1.0:2.0, 3.0:4.0, 5.0:6.0
; check: off an odd address is part of the example
; state: f1 = 1.0:2.0, 3.0:4.0  a1 = 103

; case: ldnp
;; Mn = 7 makes a circle of 8 words, 96 to 103: 4 behind 102 is 98
        ldnp    f1, (r1)+n1
        stopi   0
; run: a1 = 102  n1 = 4  m1 = 7  [102] = 1.0:2.0, 3.0:4.0
; state: f1 = 1.0:2.0, 3.0:4.0  a1 = 98

; case: ldnm
        ldnm    f1, (r1)-n1
        stopi   0
; run: a1 = 100  n1 = 4  [100] = 1.0:2.0, 3.0:4.0
; state: f1 = 1.0:2.0, 3.0:4.0  a1 = 96

; case: sdi
        sdi     f1, 100
        stopi   0
; run: f1 = 1.0:2.0, 3.0:4.0
; state: [100] = 1.0:2.0, 3.0:4.0

; case: sdo
;; The lowest bit of the address is ignored, so words 100 and 101 are written; the step keeps it
        sdo     f1, (r1)+2
        stopi   0
; run: a1 = 101  f1 = 1.0:2.0, 3.0:4.0
; check: off an odd address is part of the example
; state: [100] = 1.0:2.0, 3.0:4.0  a1 = 103

; case: sdnp
        sdnp    f1, (r1)+n1
        stopi   0
; run: a1 = 100  n1 = 4  f1 = 1.0:2.0, 3.0:4.0
; state: [100] = 1.0:2.0, 3.0:4.0  a1 = 104

; case: sdnm
        sdnm    f1, (r1)-n1
        stopi   0
; run: a1 = 100  n1 = 4  f1 = 1.0:2.0, 3.0:4.0
; state: [100] = 1.0:2.0, 3.0:4.0  a1 = 96
