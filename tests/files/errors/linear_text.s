# What linear text can carry and a schedule could lose: refused, each where it stands.

; case: two places for one register
.linear
 .assign %x, f5
 .assign %x, f6
; error: C0418
 copy %x, f1
.endlinear
 stopi 0

; case: the same place twice
.linear
 .assign %x, f5
 .assign %x, f5
 copy %x, f1
.endlinear
 stopi 0
; error: none

; case: a set that is apart from nothing, or from itself
.linear
 .disjoint r0
; error: C0418
 .disjoint abs, r1, abs
; error: C0418
 swo f1, (r0)
.endlinear
 stopi 0

; case: marks of bundles
.linear
 .allow C0504
; error: C0601
 copy f1, f2 @allow(C0504)
; error: C0601
 .endallow
; error: C0601
.endlinear
 stopi 0

; case: a label, a slot, places, marks of the channel
.linear
here:
; error: C0601
 psadd f1, f2, f3 | swi f1, 0
; error: C0601
 .align 2
; error: C0601
 .dmabank 1
; error: C0601
 .bundle 0
; error: C0601
 psadd f1, f2, f3
.endlinear
 stopi 0

; case: halves of what has none, and steps of other sets
.linear
 lwo %x, (r0.hi)+1
; error: C0303
 swo f1.lo, (r0)+1
; error: C0303
 ldo %a.hi:%b, (r0)+2
; error: C0303
 lwnp %c, (r0)+n1
; error: C0307
 lwnp %d, (r0)-n0
; error: C0303
.endlinear
 stopi 0

; case: an `.assign` of a misspelt name, which would leave the result elsewhere
.linear
.assign %smu, f5
; error: C0418
 psadd %sum, f1, f2
.endlinear
 stopi 0

; case: an `.assign` of a name that no operation has
.linear
.assign %held, f5
; error: C0418
 psadd f3, f1, f2
.endlinear
 stopi 0
