# Loads and stores that obey the predicate (`specs/src/extensions/conditional-memory.md`).
; machine: vm7 extensions.conditional_memory=true
; init: fccr = {3, 1, 3, 1}  f1 = 1:2  f2 = 3:4  [10] = 5:6, 7:8

; case: a load writes in the enabled sections
        if(cc1) | clwi f1, 10
        nop
        nop
        copy f3, f1
        stopi 0
; run:
; state: f3 = {5:6, 1:2, 5:6, 1:2}

; case: one bundle sooner in none
        if(cc1) | clwi f1, 10
        nop
        copy f3, f1
        stopi 0
; run:
; state: f3 = 1:2  f1 = {5:6, 1:2, 5:6, 1:2}

; case: two words, and the bypass
        if(cc1) | cldi f1, 10
        nop
        psprmsgn f10, f1, 0, 1, 2, 3
        stopi 0
; run:
; state: f10 = {5:6, 1:2, 5:6, 1:2}  f11 = {7:8, 3:4, 7:8, 3:4}

; case: a store writes in the enabled sections, and the address steps for all
        if(cc1) | csdnp f1, (r2)+n2
        if(cc2) | cswo f2, (r3)+1
        stopi 0
; run: a2=10 n2=2 a3=20
; state: [10] = {1:2, 5:6, 1:2, 5:6}, {3:4, 7:8, 3:4, 7:8}  a2 = 12  [20] = 0  a3 = 21

; case: two words at an odd address, bit 0 of which the access ignores and the step keeps
        if(cc1) | cldo f1, (r2)+2
        stopi 0
; run: a2=11
; check: off an odd address is what this is about
; state: f1 = {5:6, 1:2, 5:6, 1:2}  f2 = {7:8, 3:4, 7:8, 3:4}  a2 = 13

; case: two words of the last register
        if(cc1) | cldi f63, 10
; error: 19 C0308
        if(cc1) | csdnm f63, (r2)-n2
; error: 19 C0308

; case: without a predicate everywhere
        clwi f1, 10
        stopi 0
; run:
; state: f1 = 5:6

; case: a load without the c does not obey
        if(cc1) copy f4, f2 | lwi f1, 10
        stopi 0
; run:
; state: f1 = 5:6  f4 = {3:4, 0, 3:4, 0}

; case: the predicate is the one of seven bundles before
        c.t.s cc2, f0, f0
        nop
        nop
        nop
        nop
        nop
        if(cc2) | clwi f1, 10
        if(cc2) | clwi f2, 10
        stopi 0
; run:
; state: f1 = 1:2  f2 = 5:6

; case: an arithmetic result in the other sections is not touched
        copy f1, f2
        nop
        nop
        nop
        nop
        if(cc1) | clwi f1, 10
        stopi 0
; run:
; state: f1 = 3:4
; stats: collisions={1, 0, 1, 0}

; case: linear code keeps what a disabled section has
.linear
.scratch g15
.disjoint r0, r1
.loop g2, min=1
 lwo %x, (r0)+1
 if(cc1) clwo %x, (r1)+1
 psadd %y, %x, %x
 if(cc1) cswo %y, (r0)+0
.endloop
.endlinear
 stopi 0
; run: g2=1 a0=100 a1=200 [100]=1.0:2.0 [200]=4.0:5.0
; state: [100] = 1.0:2.0  [101] = {8.0:10.0, 0:0, 8.0:10.0, 0:0}  a0 = 101

; case: a conditional load has to find a value in its register
.linear
 if(cc1) clwo %x, (r0)+1
; error: C0603
 swo %x, (r1)+1
.endlinear
 stopi 0

; case: loads and stores without a c do not obey in linear code either
.linear
 ldo %a:%b, (r0)+2
 if(cc1) sdo %a:%b, (r1)+2
; error: C0508
.endlinear
 stopi 0

; case: a value is merged in parts, stored in parts, and both are read again
.linear
 psadd %x, f1, f2
 copy %y, f2
 if(cc1) clwo %x, (r0)+1
 if(cc2) cldo %x:%y, (r0)+2
 psprmsgn %u:%v, %x:%y, 0, 1, 2, 3
 if(cc1) cswo %u, (r1)+0
 if(cc2) cswo %v, (r1)+0
 lwo %w, (r1)+1
 psadd f3, %w, %w
.endlinear
 stopi 0
; run: a0=99 a1=200 fccr={3,5,7,1} f1=1.0:1.0 f2=2.0:2.0 [99]=8.0:8.0 [100]=16.0:16.0 [101]=32.0:32.0 [200]=64.0:64.0
; state: f3 = {16.0:16.0, 64.0:64.0, 64.0:64.0, 128.0:128.0}
