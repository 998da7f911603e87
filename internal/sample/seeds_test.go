package sample

// What seed 1 chooses.
var (
	distinctOf1  = []uint64{23676, 89111, 598260, 701538, 715356}
	walkedOf1    = []uint64{1, 2, 3, 7, 9}
	takenOf1     = []uint64{155, 178, 320, 505}
	shuffledOf1  = []int{4, 1, 3, 0, 2}
	reservoirOf1 = []uint64{195, 314, 871}
)
