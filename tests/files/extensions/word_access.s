# Loads and stores of 32 bits (`specs/src/extensions/word-access.md`).
; machine: vm7 extensions.word_access=true
; init: f1 = 0x11111111:0x22222222  [9] = 0x99999999:0xaaaaaaaa  [4105] = 0xbbbbbbbb:0xcccccccc

; case: a half lands three bundles behind, the other half stays
        lhi f1.lo, 9, 1
        nop
        nop
        copy f3, f1
        stopi 0
; run:
; state: f3 = 0x11111111:0x99999999

; case: one bundle sooner the register is as before
        lhi f1.lo, 9, 1
        nop
        copy f3, f1
        stopi 0
; run:
; state: f3 = 0x11111111:0x22222222  f1 = 0x11111111:0x99999999

; case: psprmsgn has it by the bypass, with the half that stays
        lhi f1.hi, 9, 0
        nop
        psprmsgn f10, f1, 0, 1, 0, 1
        stopi 0
; run:
; state: f10 = 0xaaaaaaaa:0x22222222

; case: one bundle sooner it has not
        lhi f1.hi, 9, 0
        psprmsgn f10, f1, 0, 1, 0, 1
        stopi 0
; run:
; state: f10 = 0x11111111:0x22222222

; case: a store changes half of a word, and the next bundle sees it
        shi f1.hi, 9, 0
        lwi f2, 9
        stopi 0
; run:
; state: f2 = 0x99999999:0x11111111  [9] = 0x99999999:0x11111111

; case: addresses step as those of words
        lho f1.hi, (r2)-2, 0
        shnp f1.lo, (r3)+n3, 1
        stopi 0
; run: a2=9 a3=20 n3=4
; state: f1 = 0xaaaaaaaa:0x22222222  a2 = 7  a3 = 24  [20] = 0x22222222:0

; case: a register tells the half in memory
        lhgnp f1.hi, (r2)+n2, g1
        lhgnp f2.hi, (r3)+n3, g2
        shgnm f1.lo, (r4)-n4, g1
        stopi 0
; run: g1=3 g2=2 a2=9 n2=5 a3=9 a4=30 n4=2
; state: f1.hi = 0x99999999  f2.hi = 0xaaaaaaaa  a2 = 14  a4 = 28  [30] = 0x22222222:0

; case: the half is read in the bundle behind the one that writes it
        seti g1, 1
        lhgnp f1.hi, (r2)+n2, g1
        stopi 0
; run: g1=0 a2=9 n2=0
; state: f1.hi = 0x99999999

; case: an address counts 32-bit words of half of the memory
        lh32np f1.hi, (r2)+n2, 0
        lh32nm f2.lo, (r3)-n3, 1
        sh32np f1.lo, (r4)+n4, 1
        stopi 0
; run: a2=19 n2=1 a3=18 n3=1 a4=5 n4=8190
; state: f1.hi = 0x99999999  f2.lo = 0xcccccccc  a2 = 20  a3 = 17  a4 = 3  [4098] = 0x22222222:0

; case: an elementary function and a load of the other half both stay
        recip f1.lo, f10.lo
        nop
        nop
        nop
        nop
        lhi f1.hi, 9, 0
        nop
        nop
        copy f3, f1
        stopi 0
; run: f10=0x40400000:0x40400000
; state: f3 = 0xaaaaaaaa:0x3eaaaaaa
; stats: collisions=0

; case: of the same half the function stays
        recip f1.lo, f10.lo
        nop
        nop
        nop
        nop
        lhi f1.lo, 9, 0
        nop
        nop
        copy f3, f1
        stopi 0
; run: f10=0x40400000:0x40400000
; state: f3 = 0x11111111:0x3eaaaaaa
; stats: collisions=1

; case: linear code swaps the halves of words in place
.linear
.scratch g15
.even r0
.loop g2, min=1
 lwo %x, (r0)+0
 sho %x.hi, (r0)+0, 0
 sho %x.lo, (r0)+1, 1
.endloop
.endlinear
 stopi 0
; run: g2=2 a0=100 [100]=1:2,3:4,5:6
; state: [100] = 2:1, 4:3, 5:6  a0 = 102
