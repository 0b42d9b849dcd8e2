# Worked examples of the extension word-access: the half of the register stands behind its name, that of the word in
# memory is the last operand (0 lo, 1 hi).
; machine: vm7 extensions.word_access=true

; case: lhi
;; The low half of the word into the high half of the register, whose low half stays
        lhi     f1.hi, 100, 0
        stopi   0
; run: f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 2.0:8.0

; case: lho
;; The low half of the word into the high half of the register, whose low half stays
        lho     f1.hi, (r1)+2, 0
        stopi   0
; run: a1 = 100  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 2.0:8.0  a1 = 102

; case: lhnp
;; The low half of the word into the high half of the register, whose low half stays
        lhnp     f1.hi, (r1)+n1, 0
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 2.0:8.0  a1 = 103

; case: lhnm
;; The low half of the word into the high half of the register, whose low half stays
        lhnm     f1.hi, (r1)-n1, 0
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 2.0:8.0  a1 = 97

; case: shi
;; The low half of the register into the high half of the word, whose low half stays
        shi     f1.lo, 100, 1
        stopi   0
; run: f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0

; case: sho
;; The low half of the register into the high half of the word, whose low half stays
        sho     f1.lo, (r1)+2, 1
        stopi   0
; run: a1 = 100  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0  a1 = 102

; case: shnp
;; The low half of the register into the high half of the word, whose low half stays
        shnp     f1.lo, (r1)+n1, 1
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0  a1 = 103

; case: shnm
;; The low half of the register into the high half of the word, whose low half stays
        shnm     f1.lo, (r1)-n1, 1
        stopi   0
; run: a1 = 100  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0  a1 = 97

; case: lh32np
;; An counts halves: 201 is the high half of word 100, and with 1 as the last operand of word 4096 + 100
        lh32np  f1.lo, (r1)+n1, 1
        stopi   0
; run: a1 = 201  n1 = 3  f1 = 7.0:8.0  [4196] = 1.0:2.0
; state: f1 = 7.0:1.0  a1 = 204

; case: lhgnp
;; Bit 0 of g1 is 1 and names the high half of the word
        lhgnp   f1.lo, (r1)+n1, g1
        stopi   0
; run: a1 = 100  n1 = 3  g1 = 5  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 7.0:1.0  a1 = 103

; case: lh32nm
;; An counts halves: 201 is the high half of word 100, and with 1 as the last operand of word 4096 + 100
        lh32nm  f1.lo, (r1)-n1, 1
        stopi   0
; run: a1 = 201  n1 = 3  f1 = 7.0:8.0  [4196] = 1.0:2.0
; state: f1 = 7.0:1.0  a1 = 198

; case: lhgnm
;; Bit 0 of g1 is 1 and names the high half of the word
        lhgnm   f1.lo, (r1)-n1, g1
        stopi   0
; run: a1 = 100  n1 = 3  g1 = 5  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: f1 = 7.0:1.0  a1 = 97

; case: sh32np
;; An counts halves: 201 is the high half of word 100
        sh32np  f1.lo, (r1)+n1, 0
        stopi   0
; run: a1 = 201  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0  a1 = 204

; case: shgnp
;; Bit 0 of g1 is 0 and names the low half of the word
        shgnp   f1.hi, (r1)+n1, g1
        stopi   0
; run: a1 = 100  n1 = 3  g1 = 4  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 1.0:7.0  a1 = 103

; case: sh32nm
;; An counts halves: 201 is the high half of word 100
        sh32nm  f1.lo, (r1)-n1, 0
        stopi   0
; run: a1 = 201  n1 = 3  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 8.0:2.0  a1 = 198

; case: shgnm
;; Bit 0 of g1 is 0 and names the low half of the word
        shgnm   f1.hi, (r1)-n1, g1
        stopi   0
; run: a1 = 100  n1 = 3  g1 = 4  f1 = 7.0:8.0  [100] = 1.0:2.0
; state: [100] = 1.0:7.0  a1 = 97
