; What gdb.c runs on CP2: g2 = 5, then g3 = g2.
        .kernel count
        seti g2, 5
        | nop
        | move g3, g2
        | stopi 3
        nop
