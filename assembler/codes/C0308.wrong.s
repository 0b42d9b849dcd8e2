    ldi f63, 0
