# A memory common to the sections (`specs/src/extensions/shared-memory.md`).
; machine: vm7 extensions.shared_memory=true
; init: f1 = {10, 11, 12, 13}  g1 = 100  g2 = 1022

; case: four words to four places, and back turned by one section
        setq    r3, g1
        sqo     f1, (r3)+1
        sqi     f1, 104
        lqo     f2, (r3)
        nop
        nop
        copy    f3, f2
        stopi 0
; run:
; state: f3 = {11, 12, 13, 10}  qa3 = 101

; case: one bundle sooner the register is as before
        sqi     f1, 100
        lqi     f2, 100
        nop
        copy    f3, f2
        stopi 0
; run: f2=7
; state: f2 = {10, 11, 12, 13}  f3 = 7

; case: one word to all, one section's word to one place, at addresses that step
        setq    r0, g1
        sqso    f1, (r0)+2, s2
        sqso    f1, (r0)-2, s3
        lqbo    f2, (r0)+2
        lqbo    f3, (r0)
        lqbi    f4, 101
        sqsi    f1, 7, s1
        lqi     f5, 5
        stopi 0
; run:
; state: f2 = 12  f3 = 13  f4 = 0  f5 = {0, 0, 11, 0}  qa0 = 102

; case: the memory has no end
        setq    r1, g2
        sqo     f1, (r1)+5
        lqi     f2, 1023
        lqi     f3, 0
        stopi 0
; run:
; state: f2 = {11, 12, 13, 0}  f3 = {12, 13, 0, 0}  qa1 = 3

; case: `setq` reads a register as `move` does, and an access in the next bundle sees the address
        seti    g3, 64
        setq    r2, g3
        sqo     f1, (r2)
        lqbi    f2, 65
        stopi 0
; run:
; state: f2 = 11  qa2 = 64

; case: more than ten bits
        sqi     f1, 1024
; error: 21-25 C0305 1024 is out of range: `sqi` takes 0 to 1023 here
;   label: must be from 0 to 1023

; case: a step beyond the memory
        lqo     f1, (r1)+1024
; error: 25-30 C0305 1024 is out of range: `lqo` takes -1024 to 1023 here
;   label: must be from -1024 to 1023

; case: linear code keeps the order of stores and loads that may meet, and of no others
.linear
        sqi     f1, 0
        lqbi    %a, 2
        lqi     %b, 8
        sqsi    %a, 3, s0
        lqi     f2, 0
        copy    f3, %b
.endlinear
        stopi 0
; run: f1={1,2,3,4}
; state: f2 = {1, 2, 3, 3}  f3 = 0

; case: an address of the run may meet any word
        setq    r3, g1
.linear
        .loop   8
        lqbo    %a, (r3)
        addi    %b, %a, 1
        sqso    %b, (r3)+0, s3
        .endloop
        lqbi    f2, 100
.endlinear
        stopi 0
; run:
; check: off f0 is stored as it is after reset
; state: f2 = 8:8

; case: without the extension
; machine: vm7
        setq    r1, g1
; error: C0314
