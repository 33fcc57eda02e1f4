;; A scan over memory that is shared with typed arrays. All places are byte offsets. `npm run wasm` prints the module for
;; `src/search/segment/vectors.ts`, and a test holds the two together.
(module
  (import "env" "memory" (memory 0))

  ;; In how many bits each code differs from the query's, as 16-bit integers.
  (func (export "scanCodes")
    (param $query i32) (param $row i32) (param $rowsEnd i32) (param $rowBytes i32) (param $out i32)
    (local $at i32) (local $end i32) (local $sum v128)
    (loop $rows
      (local.set $at (local.get $query))
      (local.set $end (i32.add (local.get $row) (local.get $rowBytes)))
      (local.set $sum (v128.const i64x2 0 0))
      (loop $inner
        (local.set $sum (i8x16.add (local.get $sum)
          (i8x16.popcnt (v128.xor (v128.load (local.get $row)) (v128.load (local.get $at))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (br_if $inner (i32.lt_u (local.get $row) (local.get $end))))
      (local.set $sum (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $sum))))
      (i32.store16 (local.get $out)
        (i32.add (i32.add (i32.add
          (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32x4.extract_lane 2 (local.get $sum))) (i32x4.extract_lane 3 (local.get $sum))))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $rowsEnd))))))
