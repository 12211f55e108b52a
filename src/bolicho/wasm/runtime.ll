
; The runtime of a module: memory that doors use, and Numba's allocation of arrays.  Nothing is freed by itself: a door
; puts `heap` back when its function returns.

@__heap_base = external global i8
@heap = internal global i32 ptrtoint (ptr @__heap_base to i32)
@exception = internal global ptr null

declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)

define i32 @reserve(i32 %size) {
  %heap = load i32, ptr @heap
  %up = add i32 %heap, 15
  %at = and i32 %up, -16
  %end = add i32 %at, %size
  %wraps = icmp ult i32 %end, %at
  br i1 %wraps, label %full, label %measure
measure:
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %there = zext i32 %pages to i64
  %have = shl i64 %there, 16
  %wide = zext i32 %end to i64
  %enough = icmp ule i64 %wide, %have
  br i1 %enough, label %done, label %grow
grow:
  %lack = sub i64 %wide, %have
  %rounded = add i64 %lack, 65535
  %more64 = lshr i64 %rounded, 16
  %more = trunc i64 %more64 to i32
  %grown = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %failed = icmp eq i32 %grown, -1
  br i1 %failed, label %full, label %done
done:
  store i32 %end, ptr @heap
  ret i32 %at
full:
  unreachable
}

; The header of an array as Numba lays it out with pointers of 64 bits: the address of the data at 24, its size at 32.
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %bytes = trunc i64 %size to i32
  %over = icmp ugt i64 %size, 2147483647
  br i1 %over, label %full, label %take
take:
  %whole = add i32 %bytes, 128
  %at = call i32 @reserve(i32 %whole)
  %head = inttoptr i32 %at to ptr
  %after = add i32 %at, 111
  %start = and i32 %after, -64
  %data = inttoptr i32 %start to ptr
  call void @llvm.memset.p0.i32(ptr %head, i8 0, i32 48, i1 false)
  store i64 1, ptr %head
  %data.at = getelementptr i8, ptr %head, i32 24
  store ptr %data, ptr %data.at
  %size.at = getelementptr i8, ptr %head, i32 32
  store i64 %size, ptr %size.at
  ret ptr %head
full:
  unreachable
}

define ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) {
  %made = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %made
}

define ptr @NRT_MemInfo_alloc(i64 %size) {
  %made = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %made
}

define ptr @NRT_Allocate(i64 %size) {
  %bytes = trunc i64 %size to i32
  %at = call i32 @reserve(i32 %bytes)
  %made = inttoptr i32 %at to ptr
  ret ptr %made
}

define void @NRT_Free(ptr %made) {
  ret void
}

; The text of an error; its code follows as the result of the function.
define void @PyErr_SetString(ptr %kind, ptr %text) {
  ret void
}

declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)

define void @NRT_incref(ptr %array) {
  ret void
}

define void @NRT_decref(ptr %array) {
  ret void
}

define void @NRT_MemInfo_call_dtor(ptr %array) {
  ret void
}

declare double @llvm.sqrt.f64(double)

define double @sqrt(double %x) {
  %root = call double @llvm.sqrt.f64(double %x)
  ret double %root
}
