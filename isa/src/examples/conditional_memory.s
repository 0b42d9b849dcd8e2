# Worked examples of the extension conditional-memory: the condition code is 1 in sections 0 and 2. An steps in any case.
; machine: vm7 extensions.conditional_memory=true

; case: clwi
        if(cc1) | clwi f1, 100
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  f1 = 7  [100] = {10, 20, 30, 40}
; state: f1 = {10, 7, 30, 7}

; case: clwo
        if(cc1) | clwo f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  f1 = 7  [100] = {10, 20, 30, 40}
; state: f1 = {10, 7, 30, 7}  a1 = 102

; case: clwnp
        if(cc1) | clwnp f1, (r1)+n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7  [100] = {10, 20, 30, 40}
; state: f1 = {10, 7, 30, 7}  a1 = 104

; case: clwnm
        if(cc1) | clwnm f1, (r1)-n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7  [100] = {10, 20, 30, 40}
; state: f1 = {10, 7, 30, 7}  a1 = 96

; case: cswi
        if(cc1) | cswi f1, 100
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  f1 = 7  [100] = {10, 20, 30, 40}
; state: [100] = {7, 20, 7, 40}

; case: cswo
        if(cc1) | cswo f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  f1 = 7  [100] = {10, 20, 30, 40}
; state: [100] = {7, 20, 7, 40}  a1 = 102

; case: cswnp
        if(cc1) | cswnp f1, (r1)+n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7  [100] = {10, 20, 30, 40}
; state: [100] = {7, 20, 7, 40}  a1 = 104

; case: cswnm
        if(cc1) | cswnm f1, (r1)-n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7  [100] = {10, 20, 30, 40}
; state: [100] = {7, 20, 7, 40}  a1 = 96

; case: cldi
        if(cc1) | cldi f1, 100
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: f1 = {10, 7, 30, 7}, {11, 8, 31, 8}

; case: cldo
        if(cc1) | cldo f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: f1 = {10, 7, 30, 7}, {11, 8, 31, 8}  a1 = 102

; case: cldnp
        if(cc1) | cldnp f1, (r1)+n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: f1 = {10, 7, 30, 7}, {11, 8, 31, 8}  a1 = 104

; case: cldnm
        if(cc1) | cldnm f1, (r1)-n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: f1 = {10, 7, 30, 7}, {11, 8, 31, 8}  a1 = 96

; case: csdi
        if(cc1) | csdi f1, 100
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: [100] = {7, 20, 7, 40}, {8, 21, 8, 41}

; case: csdo
        if(cc1) | csdo f1, (r1)+2
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: [100] = {7, 20, 7, 40}, {8, 21, 8, 41}  a1 = 102

; case: csdnp
        if(cc1) | csdnp f1, (r1)+n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: [100] = {7, 20, 7, 40}, {8, 21, 8, 41}  a1 = 104

; case: csdnm
        if(cc1) | csdnm f1, (r1)-n1
        stopi   0
; run: fccr = {0x03, 0x01, 0x03, 0x01}  a1 = 100  n1 = 4  f1 = 7, 8  [100] = {10, 20, 30, 40}, {11, 21, 31, 41}
; state: [100] = {7, 20, 7, 40}, {8, 21, 8, 41}  a1 = 96
