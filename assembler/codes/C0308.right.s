    ldi f62, 0
