# Worked examples of the extension shared-memory: a word is stored and loaded again, for shared memory is seen by loads alone.
; machine: vm7 extensions.shared_memory=true

; case: setq
;; A shared address has 10 bits
        setq    r1, g1
        stopi   0
; run: g1 = 1124
; state: qa1 = 100

; case: lqi
;; Section s gets word 101 + s: what section s + 1 has stored
        sqi     f2, 100
        lqi     f1, 101
        stopi   0
; run: f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = {11, 12, 13, 0}

; case: lqo
;; Section s gets word 101 + s: what section s + 1 has stored
        sqi     f2, 100
        lqo     f1, (r1)-1
        stopi   0
; run: qa1 = 101  f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = {11, 12, 13, 0}  qa1 = 100

; case: lqbi
;; Word 102, what section 2 has stored, to all
        sqi     f2, 100
        lqbi    f1, 102
        stopi   0
; run: f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = 12

; case: lqbo
;; Word 102, what section 2 has stored, to all
        sqi     f2, 100
        lqbo    f1, (r1)+1
        stopi   0
; run: qa1 = 102  f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = 12  qa1 = 103

; case: sqi
;; Section s stores to word 100 + s
        sqi     f2, 100
        lqbi    f1, 103
        stopi   0
; run: f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = 13

; case: sqo
;; Section s stores to word 1023 + s, around the end: word 0 has what section 1 stored
        sqo     f2, (r1)+4
        lqbi    f1, 0
        stopi   0
; run: qa1 = 1023  f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = 11  qa1 = 3

; case: sqsi
;; Section 2 alone stores, to word 100
        sqsi    f2, 100, s2
        lqi     f1, 100
        stopi   0
; run: f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = {12, 0, 0, 0}

; case: sqso
;; Section 2 alone stores, to word 100
        sqso    f2, (r1)+1, s2
        lqi     f1, 100
        stopi   0
; run: qa1 = 100  f1 = 7  f2 = {10, 11, 12, 13}
; state: f1 = {12, 0, 0, 0}  qa1 = 101
