# More FPRs (`specs/src/extensions/more-fprs.md`).
; machine: core.fprs=256

; case: every field of a register reaches all of them
        caddsub f65, f130, f195, f4 | psprmsgn f97, f192, 0, 1, 2, 3
; bundle: caddsub f65, f130, f195, f4 | psprmsgn1 f97, f192, 0, 1, 2, 3
        stopi 0
; bundle: | stopi 0
; run: f130=3.0:4.0 f195=1.0:0.5 f192=11:12 f193=13:14
; state: f65 = 4.0:4.5  f4 = 2.0:3.5  f97 = 11:12  f98 = 13:14

; case: loads, stores, halves, scalars and pairs of the upper registers
        ldi     f254, 40
        mtfpr   f128, g1, s1
        nop
        mffpr   g2, f255, s0
        swi     f128, 50
        recip   f200.hi, f255.lo
        stopi 0
; run: [40]=1:2, 3:2.0 g1=77 f128=0
; state: f254 = 1:2  f255 = 3:2.0  f128.s1 = 77  [50].s1 = 77  f200.hi = 0.5

; case: linear code has as many values that live across loops as there are registers
; machine: core.fprs=128
.linear
.rept 80, k
        copy    %s{\k}, f0
.endr
        .loop g2, min=1
.rept 80, k
        psadd   %s{\k}, %s{\k}, f1
.endr
        .endloop
.rept 80, k
        swi     %s{\k}, 100 + \k
.endr
.endlinear
        stopi 0
; run: f0=1.0:2.0 f1=0.5:0.25 g2=3
; state: [100] = 2.5:2.75  [179] = 2.5:2.75

; case: a register that there is not
; machine: core.fprs=128
        add f128, f1, f2
; error: 13-17 C0304 there is no register f128: they are f0 to f127
;   label: does not exist
;   help: `--enable more-fprs=256` gives a machine that has it
        stopi 0

; case: on CP2
; machine: core.fprs=64
        add f64, f1, f2
; error: 13-16 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   help: `--enable more-fprs=128` gives a machine that has it
        stopi 0

; case: a bundle as the numbers of its two words, which names f64
        .bundle 0x0500000000000000, 1
; bundle: swaphl f64, f0
        stopi 0
; bundle: | stopi 0
; run: f0=1:2
; state: f64 = 2:1

; case: on CP2 there is one word
; machine: core.fprs=64
        .bundle 0x0500000000000000, 1
; error: 17-38 C0314 the machine has no upper words of bundles
;   label: needs an extension that is off
;   help: `--enable more-fprs=128` gives bundles two words
        stopi 0

; case: a second word is not kept where there is no place for one
; machine: core.fprs=64
        .bundle 0x0500000000000000, 2 @allow(C0310)
; error: 17-38 C0314 the machine has no upper words of bundles
;   label: needs an extension that is off
;   help: `--enable more-fprs=128` gives bundles two words
        stopi 0

; case: registers that the machine does not have are undefined
; machine: core.fprs=128
        .bundle 0x0500000000000000, 2 @allow(C0310)
        stopi 0
; run:
; end: fault bundle 0 (0x00000000000000020500000000000000), cycle 0: undefined operation: `swaphl` uses f128; the last is f127
