# Worked examples of the extension section-counters: the condition code is 1 in sections 0 and 2. The others load zeros,
# store nothing, and keep their address.
; machine: vm7 extensions.section_addressing=true extensions.section_counters=true

; case: mxfpr
;; Unsigned 32-bit numbers; the upper half of the general register becomes 0
        mxfpr   g1, f1.lo
        stopi   0
; run: g1 = -1  f1 = {9:5, 9:7, 9:0xfffffffe, 9:0}
; state: g1 = 0xfffffffe

; case: mlwsa
        if(cc1) | mlwsa f1, (r1)+1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  sa1 = 100  f1 = 7  [100] = {10, 20, 30, 40}
; state: f1 = {10, 0, 30, 0}  sa1 = {101, 100, 101, 100}

; case: mldsa
;; Zeros in both registers
        if(cc1) | mldsa f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  sa1 = 100  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: f1 = {10, 0, 30, 0}, {11, 0, 31, 0}  sa1 = {102, 100, 102, 100}

; case: mswsa
        if(cc1) | mswsa f1, (r1)+1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  sa1 = 100  f1 = 7  [100] = {10, 20, 30, 40}
; state: [100] = {7, 20, 7, 40}  sa1 = {101, 100, 101, 100}

; case: msdsa
        if(cc1) | msdsa f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  sa1 = 100  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: [100] = {7, 20, 7, 40}, {8, 21, 8, 41}  sa1 = {102, 100, 102, 100}
