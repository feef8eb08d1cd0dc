// SPDX-License-Identifier: Apache-2.0
#include "allocator_hooks.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "own_python.h"

namespace sparkprof {
namespace {

// CPython, Include/cpython/pymem.h and objimpl.h.
struct PyAllocator {
  void* context;
  void* (*malloc)(void*, size_t);
  void* (*calloc)(void*, size_t, size_t);
  void* (*realloc)(void*, void*, size_t);
  void (*free)(void*, void*);
};
struct PyArenaAllocator {
  void* context;
  void* (*alloc)(void*, size_t);
  void (*free)(void*, void*, size_t);
};
enum Domain : int { kRaw = 0, kMem = 1, kObject = 2 };

// NumPy, numpy/core/include/numpy/ndarraytypes.h, version 1.
struct NumpyHandler {
  char name[127];
  uint8_t version;
  void* context;
  void* (*malloc)(void*, size_t);
  void* (*calloc)(void*, size_t, size_t);
  void* (*realloc)(void*, void*, size_t);
  void (*free)(void*, void*, size_t);
};
constexpr size_t kDefaultHandler = 306;  // in the table of NumPy's C API

struct Api {
  void (*get)(int, PyAllocator*) = nullptr;
  void (*set)(int, PyAllocator*) = nullptr;
  void (*get_arena)(PyArenaAllocator*) = nullptr;
  void (*set_arena)(PyArenaAllocator*) = nullptr;
  void* (*raw_malloc)(size_t) = nullptr;
  void (*raw_free)(void*) = nullptr;
  void* (*mem_malloc)(size_t) = nullptr;
  void (*mem_free)(void*) = nullptr;
};
Api api;

// Null in a forked child until it samples itself.
std::atomic<AllocationSampler*> active{nullptr};

std::atomic<bool> is_probing{false}, is_reached{false};

void Allocated(const void* block, size_t bytes) {
  AllocationSampler* const sampler = active.load(std::memory_order_acquire);
  if (sampler != nullptr && block != nullptr) sampler->Allocated(block, bytes);
}

void Freeing(const void* block) {
  AllocationSampler* const sampler = active.load(std::memory_order_acquire);
  if (sampler != nullptr) sampler->Freeing(block);
}

// Overflows give SIZE_MAX, which no allocator grants.
size_t Product(size_t count, size_t size) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

// Reallocates with `reallocate`; counts up to `most` bytes as a new block.
template <typename Reallocate>
void* Move(void* block, size_t bytes, size_t most, const Reallocate& reallocate) {
  AllocationSampler* const sampler = active.load(std::memory_order_acquire);
  if (sampler == nullptr) return reallocate();
  const uint64_t number = block == nullptr ? 0 : sampler->BeginMove(block);
  void* const moved = reallocate();
  sampler->EndMove(block, number, moved != nullptr);
  if (moved != nullptr && bytes <= most) sampler->Allocated(moved, bytes);
  return moved;
}

// The hooks of one domain. Threads without the GIL may be in them at any time, so a set of previous functions stays
// valid when another one replaces it.
template <int kDomain>
class DomainHooks {
 public:
  static bool Install(size_t most) {
    if (used_ == previous_.size()) return false;
    PyAllocator& previous = previous_[used_++];
    api.get(kDomain, &previous);
    most_ = most;
    current_.store(&previous, std::memory_order_release);
    PyAllocator hooks{nullptr, Malloc, Calloc, Realloc, Free};
    api.set(kDomain, &hooks);
    return true;
  }
  static bool IsInstalled() { return used_ > 0; }
  static size_t Most() { return most_; }

 private:
  static const PyAllocator& Previous() { return *current_.load(std::memory_order_acquire); }

  static void* Malloc(void* /*context*/, size_t bytes) {
    const PyAllocator& previous = Previous();
    void* const block = previous.malloc(previous.context, bytes);
    Note(block, bytes);
    return block;
  }
  static void* Calloc(void* /*context*/, size_t count, size_t size) {
    const PyAllocator& previous = Previous();
    void* const block = previous.calloc(previous.context, count, size);
    Note(block, Product(count, size));
    return block;
  }
  static void* Realloc(void* /*context*/, void* block, size_t bytes) {
    const PyAllocator& previous = Previous();
    return Move(block, bytes, most_, [&] { return previous.realloc(previous.context, block, bytes); });
  }
  static void Free(void* /*context*/, void* block) {
    if (block != nullptr) Freeing(block);
    const PyAllocator& previous = Previous();
    previous.free(previous.context, block);
  }

  static void Note(const void* block, size_t bytes) {
    if (kDomain == kRaw && is_probing.load(std::memory_order_relaxed))
      is_reached.store(true, std::memory_order_relaxed);
    if (bytes > most_ || block == nullptr) return;
    AllocationSampler* const sampler = active.load(std::memory_order_acquire);
    if (sampler == nullptr) return;
    // Other domains require the GIL.
    kDomain == kRaw ? sampler->Allocated(block, bytes) : sampler->AllocatedWithGil(block, bytes);
  }

  static inline std::array<PyAllocator, 4> previous_;
  static inline size_t used_ = 0;
  static inline size_t most_ = 0;  // larger requests reach another domain
  static inline std::atomic<const PyAllocator*> current_{nullptr};
};

using RawHooks = DomainHooks<kRaw>;
using MemHooks = DomainHooks<kMem>;
using ObjectHooks = DomainHooks<kObject>;

PyArenaAllocator previous_arena;

void* AllocateArena(void* /*context*/, size_t bytes) {
  void* const arena = previous_arena.alloc(previous_arena.context, bytes);
  Allocated(arena, bytes);
  return arena;
}

void FreeArena(void* /*context*/, void* arena, size_t bytes) {
  if (arena != nullptr) Freeing(arena);
  previous_arena.free(previous_arena.context, arena, bytes);
}

NumpyHandler previous_numpy;

void* NumpyMalloc(void* /*context*/, size_t bytes) {
  void* const block = previous_numpy.malloc(previous_numpy.context, bytes);
  Allocated(block, bytes);
  return block;
}

void* NumpyCalloc(void* /*context*/, size_t count, size_t size) {
  void* const block = previous_numpy.calloc(previous_numpy.context, count, size);
  Allocated(block, Product(count, size));
  return block;
}

void* NumpyRealloc(void* /*context*/, void* block, size_t bytes) {
  return Move(block, bytes, SIZE_MAX, [&] { return previous_numpy.realloc(previous_numpy.context, block, bytes); });
}

void NumpyFree(void* /*context*/, void* block, size_t bytes) {
  if (block != nullptr) Freeing(block);
  previous_numpy.free(previous_numpy.context, block, bytes);
}

template <typename Function>
void Find(const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(AddressOf(name));
}

bool FindApi() {
  Find("PyMem_GetAllocator", &api.get);
  Find("PyMem_SetAllocator", &api.set);
  Find("PyObject_GetArenaAllocator", &api.get_arena);
  Find("PyObject_SetArenaAllocator", &api.set_arena);
  Find("PyMem_RawMalloc", &api.raw_malloc);
  Find("PyMem_RawFree", &api.raw_free);
  Find("PyMem_Malloc", &api.mem_malloc);
  Find("PyMem_Free", &api.mem_free);
  return api.get != nullptr && api.set != nullptr && api.get_arena != nullptr && api.set_arena != nullptr &&
         api.raw_malloc != nullptr && api.raw_free != nullptr && api.mem_malloc != nullptr && api.mem_free != nullptr;
}

// Whether a request reaches the hooks of the raw domain, perhaps through another tool's.
bool ReachesRaw(void* (*malloc)(size_t), void (*free)(void*)) {
  constexpr size_t kLargeRequest = 4096;
  is_reached.store(false, std::memory_order_relaxed);
  is_probing.store(true, std::memory_order_relaxed);
  free(malloc(kLargeRequest));
  is_probing.store(false, std::memory_order_relaxed);
  return is_reached.load(std::memory_order_relaxed);
}

void ForgetInChild() { active.store(nullptr, std::memory_order_release); }

}  // namespace

Result<void> HookAllocators(AllocationSampler* sampler, bool small) {
  constexpr size_t kLargestSmall = 512;
  if (!RawHooks::IsInstalled()) {
    if (!FindApi()) return Fail("this Python does not export its allocators");
    if (pthread_atfork(nullptr, nullptr, ForgetInChild) != 0) return Fail("pthread_atfork failed");
    RawHooks::Install(SIZE_MAX);
    // With PYTHONMALLOC=malloc or mimalloc, domains are independent of each other.
    const bool independent = !ReachesRaw(api.mem_malloc, api.mem_free);
    if (small || independent) {
      MemHooks::Install(independent ? SIZE_MAX : kLargestSmall);
      ObjectHooks::Install(independent ? SIZE_MAX : kLargestSmall);
    } else {
      api.get_arena(&previous_arena);
      PyArenaAllocator hooks{nullptr, AllocateArena, FreeArena};
      api.set_arena(&hooks);
    }
  }
  active.store(sampler, std::memory_order_release);
  return {};
}

void KeepAllocatorsHooked() {
  if (!RawHooks::IsInstalled() || ReachesRaw(api.raw_malloc, api.raw_free)) return;
  RawHooks::Install(RawHooks::Most());
  if (!MemHooks::IsInstalled()) return;
  MemHooks::Install(MemHooks::Most());
  ObjectHooks::Install(ObjectHooks::Most());
}

void HookNumpy(void* const* table) {
  if (previous_numpy.malloc != nullptr || table == nullptr || table[kDefaultHandler] == nullptr) return;
  void* (*pointer_of)(void*, const char*) = nullptr;
  Find("PyCapsule_GetPointer", &pointer_of);
  void* const capsule = *static_cast<void**>(table[kDefaultHandler]);
  if (pointer_of == nullptr || capsule == nullptr) return;
  auto* const handler = static_cast<NumpyHandler*>(pointer_of(capsule, "mem_handler"));
  if (handler == nullptr || std::string_view(handler->name, sizeof handler->name).substr(0, 18) !=
                                std::string_view("default_allocator\0", 18)) {
    return;
  }
  if (handler->version != 1) return;
  previous_numpy = *handler;
  handler->malloc = NumpyMalloc;
  handler->calloc = NumpyCalloc;
  handler->realloc = NumpyRealloc;
  handler->free = NumpyFree;
}

}  // namespace sparkprof
