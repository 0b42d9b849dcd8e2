# Worked examples of the extension section-addressing: sa1 is the address of each section in set 1.
; machine: vm7 extensions.section_addressing=true

; case: lwsa
;; Sections 0 to 3 read words 100, 101, 102 and 110
        lwsa    f1, (r1)+2
        stopi   0
; run: sa1 = {100, 101, 102, 110}  [100] = {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}  [110] = {0, 0, 0, 4}
; state: f1 = {1, 2, 3, 4}  sa1 = {102, 103, 104, 112}

; case: swsa
;; Sections 0 to 3 write words 100, 101, 102 and 110
        swsa    f1, (r1)-1
        stopi   0
; run: sa1 = {100, 101, 102, 110}  f1 = {1, 2, 3, 4}
; state: [100] = {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}  [110] = {0, 0, 0, 4}  sa1 = {99, 100, 101, 109}

; case: ldsa
;; The lowest bit of each address is ignored: section 1 reads words 100 and 101; the step keeps it
        ldsa    f1, (r1)+2
        stopi   0
; run: sa1 = {100, 101, 102, 103}  [100] = {1, 2, 0, 0}, {11, 12, 0, 0}, {0, 0, 3, 4}, {0, 0, 13, 14}
; check: off an odd address is part of the example
; state: f1 = {1, 2, 3, 4}, {11, 12, 13, 14}  sa1 = {102, 103, 104, 105}

; case: sdsa
;; The lowest bit of each address is ignored: section 1 writes words 100 and 101; the step keeps it
        sdsa    f1, (r1)+2
        stopi   0
; run: sa1 = {100, 101, 102, 103}  f1 = {1, 2, 3, 4}, {11, 12, 13, 14}
; check: off an odd address is part of the example
; state: [100] = {1, 2, 0, 0}, {11, 12, 0, 0}, {0, 0, 3, 4}, {0, 0, 13, 14}  sa1 = {102, 103, 104, 105}

; case: setsa
;; One value for all sections, its 13 low bits
        setsa   r1, g1
        stopi   0
; run: g1 = 0x2064
; state: sa1 = 100

; case: mtsa
;; To each section the 13 low bits of that half of its own register
        mtsa    r1, f1.hi
        stopi   0
; run: f1 = {100:1, 101:2, 102:3, 0x2067:4}
; state: sa1 = {100, 101, 102, 103}

; case: lwfa
;; The addresses are in the register; no section address is used or changed
        lwfa    f1, f2.lo
        stopi   0
; run: f2 = {0:100, 0:101, 0:102, 0:110}  [100] = {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}  [110] = {0, 0, 0, 4}
; state: f1 = {1, 2, 3, 4}

; case: amtsa
;; `mtsa` of the arithmetic half, which obeys the predicate: sections 1 and 3 keep their address
        if(cc1) amtsa r1, f1.lo
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  sa1 = 7  f1 = {0:100, 0:101, 0:102, 0:103}
; state: sa1 = {100, 7, 102, 7}
