    addi f1, f2, sqrt(4)
