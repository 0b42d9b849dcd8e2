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
