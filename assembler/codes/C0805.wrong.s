        stop g1
