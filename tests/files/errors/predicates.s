# A predicate before an operation of linear code that does not obey it is an error: the bundle that the operation
# comes to would execute it in every section.

; case: a store
.linear
 psadd %x, f1, f2
 if(cc1) swo %x, (r1)
; error: C0508
.endlinear
 stopi 0

; case: a load
.linear
 copy %x, f1
 if(cc1) lwo %x, (r1)+1
; error: C0508
 swo %x, (r2)
.endlinear
 stopi 0

; case: the other exchange operations, and arithmetic that has no choice
.linear
 ldo %a:%b, (r0)+2
 copy %c, f1
 if(cc1) move g4, g5
; error: C0508
 if(cc2) updaddr (r1)+1
; error: C0508
 if(cc3) qsdot %c, %a:%b, %a:%b, 0
; error: C0508
 if(cc4) mffpr g4, %c, s0
; error: C0508
 if(cc5) mtfpr %c, g4, all
; error: C0508
 if(cc6) seti g4, 1
; error: C0508
 if(cc7) sdi %a:%b, 100
; error: C0508
 if(cc{8-7}) nop
; error: C0508
 swo %c, (r1)+0
.endlinear
 stopi 0

; case: those that obey it, and condition code 0, which is every section
.linear
 ldo %a:%b, (r0)+2
 if(cc1) psadd %a, %a, %b
 if(cc1) psprmsgn %a:%b, %a:%b, 1, 0, 3, 2
 if(cc0) sdo %a:%b, (r1)+2
.endlinear
 stopi 0
; error: none
