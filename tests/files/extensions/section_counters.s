# Loops with a count for each section (`specs/src/extensions/section-counters.md`).
; machine: vm7 extensions.section_addressing=true extensions.section_counters=true
; init: [10] = {100, 0, 0, 0}, {110, 101, 0, 0}, {120, 111, 102, 0}, {130, 121, 112, 103}

; case: the largest of a half of a register, unsigned, is there for the next bundle
        mxfpr   g1, f1.lo
        move    g2, g1
        mxfpr   g3, f1.hi
        stopi 0
; run: f1={0x0000000300000005, 0x0000000200000007, 0xfffffffe00000001, 0x0000000100000000}
; state: g1 = 7  g2 = 7  g3 = 0xfffffffe

; case: masked sections load 0 and keep their address
        if(cc1) | mlwsa f2, (r3)+1
        if(cc1) | mldsa f4, (r3)+1
        stopi 0
; run: fccr={3,1,3,1} sa3={10,11,12,13} f2=7 f4=8 f5=9
; check: off an odd address is part of it
; state: f2 = {100, 0, 102, 0}  f4 = {100, 0, 102, 0}  f5 = {110, 0, 112, 0}  sa3 = {12, 11, 14, 13}

; case: an odd address is an even one for the access of two words, and stays odd
        if(cc1) | mldsa f4, (r3)+2
        if(cc1) | msdsa f4, (r4)+2
        stopi 0
; run: fccr={3,1,3,1} sa3=11 sa4=31 f4=8 f5=9 [30] = 1, 1
; check: off an odd address is what this is about
; state: f4 = {100, 0, 0, 0}  f5 = {110, 0, 0, 0}  sa3 = {13, 11, 13, 11}  sa4 = {33, 31, 33, 31}  [30] = {8, 1, 8, 1}, {9, 1, 9, 1}

; case: two words of the last register
        if(cc1) | mldsa f63, (r3)
; error: 19 C0308
        if(cc1) | msdsa f63, (r3)
; error: 19 C0308

; case: the upper half of the general register becomes 0, whatever it was
        if(cc1) | mxfpr g1, f1.lo
        stopi 0
; run: fccr=1 g1=-1 f1={9:5, 9:7, 9:0xfffffffe, 9:0}
; state: g1 = 0xfffffffe

; case: and store nothing
        if(cc1) | mswsa f2, (r3)+1
        if(cc1) | msdsa f4, (r3)+1
        stopi 0
; run: fccr={3,1,3,1} sa3={20,20,22,20} f2=7 f4=8 f5=9
; check: off an odd address is part of it
; state: sa3 = {22, 20, 24, 20}  [20] = {8, 0, 0, 0}, {9, 0, 0, 0}, {0, 0, 8, 0}, {0, 0, 9, 0}

; case: without a predicate they are the operations without the m
        mlwsa   f2, (r3)+1
        stopi 0
; run: sa3={10,11,12,13}
; state: f2 = {100, 101, 102, 103}  sa3 = {11, 12, 13, 14}

; case: the predicate is that of seven bundles before
        c.eq.w  cc1, f0, f0
        nop
        nop
        nop
        nop
        nop
        if(cc1) | mlwsa f2, (r3)+1
        if(cc1) | mlwsa f4, (r3)+1
        stopi 0
; run: fccr=1 sa3={10,11,12,13}
; check: off the comparison is with f0 after reset
; state: f2 = 0  f4 = {100, 101, 102, 103}  sa3 = {11, 12, 13, 14}

; case: a loop goes on until the longest section has done its count, and each adds its own
        mxfpr   g1, f1.lo
        clear   f2, f3
        nop
        nop
        nop
        nop
        nop
        nop
        do      g1, last
        c.lt.w  cc1, f2, f1
        nop
        nop
        nop
        nop
        nop
        nop
        if(cc1) inci f3, 1
        inci    f2, 1
        nop
        nop
        nop
        nop
        nop
        nop
last:   nop
        nop
        stopi 0
; run: f1={0,3,1,2}
; state: g1 = 3  f3 = {0x0000000000000000, 0x0000000300000003, 0x0000000100000001, 0x0000000200000002}  f2 = 0x0000000300000003
