# Addresses of each section (`specs/src/extensions/section-addressing.md`).
; machine: vm7 extensions.section_addressing=true
; init: f1 = {12:10, 13:11, 14:12, 15:13}  [10] = {100, 0, 0, 0}, {110, 101, 0, 0}, {120, 111, 102, 0}, {130, 121, 112, 103}, {140, 131, 122, 113}

; case: each section loads from its own address, which steps
        mtsa    r3, f1.lo
        lwsa    f2, (r3)+1
        lwsa    f3, (r3)
        nop
        nop
        copy    f4, f2
        copy    f5, f3
        stopi 0
; run:
; state: f4 = {100, 101, 102, 103}  f5 = {110, 111, 112, 113}  sa3 = {11, 12, 13, 14}

; case: one bundle sooner the register is as before
        mtsa    r3, f1.lo
        lwsa    f2, (r3)
        nop
        nop
        copy    f4, f2
        stopi 0
; run: f2=7
; state: f4 = {100, 101, 102, 103}

; case: and one bundle sooner than that
        mtsa    r3, f1.lo
        lwsa    f2, (r3)
        nop
        copy    f4, f2
        stopi 0
; run: f2=7
; state: f4 = 7

; case: the arithmetic slot writes addresses where the predicate holds, behind the exchange slot
        amtsa   r3, f1.hi | lwsa f2, (r3)+1
        if(cc1) amtsa r4, f1.lo | setsa r4, g1
        stopi 0
; run: fccr={3,1,3,1} g1=40
; check: off sections that the predicate leaves out keep the address after reset
; state: sa3 = {12, 13, 14, 15}  sa4 = {10, 40, 12, 40}

; case: a load takes its addresses from a register
        lwfa    f2, f1.hi
        stopi 0
; run:
; state: f2 = {120, 121, 122, 0}

; case: a store goes to each section's own word, two words to an even address
        mtsa    r3, f1.lo
        swsa    f1, (r3)+20
        sdsa    f2, (r3)-1
        stopi 0
; run: f2=1 f3=2
; check: off an odd address is what this is about
; state: sa3 = {29, 30, 31, 32}  [30] = {1, 1, 0, 0}, {2, 2, 0, 0}, {0, 0, 1, 1}, {0, 0, 2, 2}

; case: two words at an odd address, bit 0 of which the access ignores and the step keeps
        ldsa    f2, (r3)+2
        sdsa    f2, (r4)-2
        stopi 0
; run: sa3={11,12,13,11}  sa4={31,32,33,30}
; check: off an odd address is what this is about
; state: f2 = {100, 111, 102, 0}  f3 = {110, 121, 112, 0}  sa3 = {13, 14, 15, 13}
; state: sa4 = {29, 30, 31, 28}

; case: two words of the last register
        ldsa    f63, (r3)
; error: 9 C0308 `ldsa` needs the register after f63; the last is f63
;   label: needs the next register too
        sdsa    f63, (r3)
; error: 9 C0308

; case: bits that no field takes, all of them 1
        .bundle 0x000000001c62bfff
        stopi 0
; bundle: | setsa r5, g1
; bundle: | stopi 0
; run: g1=40
; state: sa5 = 40

; case: one value to all, as many bits as an address has
        setsa   r5, g1
        stopi 0
; run: g1=0x12345
; state: sa5 = 0x345
