;; Scans over memory that is shared with typed arrays. All places are byte offsets; `src/search/segment/kernel.ts` says
;; what each function does. `npm run wasm` makes kernel-bytes.ts of this file, and a test holds the two together.
(module
  (import "env" "memory" (memory 0))

  ;; Inner products of a query with float32 rows. Four sums at a time hide the latency of the additions.
  (func (export "scanFloats")
    (param $query i32) (param $row i32) (param $rowsEnd i32) (param $rowBytes i32) (param $out i32)
    (local $at i32) (local $end i32) (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (loop $rows
      (local.set $at (local.get $query))
      (local.set $end (i32.add (local.get $row) (local.get $rowBytes)))
      (local.set $sum0 (v128.const i64x2 0 0))
      (local.set $sum1 (v128.const i64x2 0 0))
      (local.set $sum2 (v128.const i64x2 0 0))
      (local.set $sum3 (v128.const i64x2 0 0))
      (loop $inner
        (local.set $sum0 (f32x4.add (local.get $sum0)
          (f32x4.mul (v128.load offset=0 (local.get $row)) (v128.load offset=0 (local.get $at)))))
        (local.set $sum1 (f32x4.add (local.get $sum1)
          (f32x4.mul (v128.load offset=16 (local.get $row)) (v128.load offset=16 (local.get $at)))))
        (local.set $sum2 (f32x4.add (local.get $sum2)
          (f32x4.mul (v128.load offset=32 (local.get $row)) (v128.load offset=32 (local.get $at)))))
        (local.set $sum3 (f32x4.add (local.get $sum3)
          (f32x4.mul (v128.load offset=48 (local.get $row)) (v128.load offset=48 (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (local.set $row (i32.add (local.get $row) (i32.const 64)))
        (br_if $inner (i32.lt_u (local.get $row) (local.get $end))))
      (local.set $sum0 (f32x4.add
        (f32x4.add (local.get $sum0) (local.get $sum1))
        (f32x4.add (local.get $sum2) (local.get $sum3))))
      (f32.store (local.get $out)
        (f32.add (f32.add (f32.add
          (f32x4.extract_lane 0 (local.get $sum0)) (f32x4.extract_lane 1 (local.get $sum0)))
          (f32x4.extract_lane 2 (local.get $sum0))) (f32x4.extract_lane 3 (local.get $sum0))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $rowsEnd)))))

  ;; The same with int8 rows, each with a scale; the query is given as 16-bit integers.
  (func (export "scanBytes")
    (param $query i32) (param $row i32) (param $rowsEnd i32) (param $rowBytes i32) (param $out i32) (param $scales i32)
    (local $at i32) (local $end i32) (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (loop $rows
      (local.set $at (local.get $query))
      (local.set $end (i32.add (local.get $row) (local.get $rowBytes)))
      (local.set $sum0 (v128.const i64x2 0 0))
      (local.set $sum1 (v128.const i64x2 0 0))
      (local.set $sum2 (v128.const i64x2 0 0))
      (local.set $sum3 (v128.const i64x2 0 0))
      (loop $inner
        (local.set $sum0 (i32x4.add (local.get $sum0)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=0 (local.get $row)) (v128.load offset=0 (local.get $at)))))
        (local.set $sum1 (i32x4.add (local.get $sum1)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $at)))))
        (local.set $sum2 (i32x4.add (local.get $sum2)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $row)) (v128.load offset=32 (local.get $at)))))
        (local.set $sum3 (i32x4.add (local.get $sum3)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $row)) (v128.load offset=48 (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (local.set $row (i32.add (local.get $row) (i32.const 32)))
        (br_if $inner (i32.lt_u (local.get $row) (local.get $end))))
      (local.set $sum0 (i32x4.add
        (i32x4.add (local.get $sum0) (local.get $sum1))
        (i32x4.add (local.get $sum2) (local.get $sum3))))
      (f32.store (local.get $out)
        (f32.mul
          (f32.convert_i32_s (i32.add (i32.add (i32.add
            (i32x4.extract_lane 0 (local.get $sum0)) (i32x4.extract_lane 1 (local.get $sum0)))
            (i32x4.extract_lane 2 (local.get $sum0))) (i32x4.extract_lane 3 (local.get $sum0))))
          (f32.load (local.get $scales))))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $rowsEnd)))))

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
