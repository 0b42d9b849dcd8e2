    stop g1
