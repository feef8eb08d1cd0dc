// SPDX-License-Identifier: Apache-2.0
#include "unwind/loaded_objects.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace sparkprof {

bool LoadedObjects::Refresh() {
  const uint64_t unloaded = unloaded_;
  is_first_ = true;
  dl_iterate_phdr(OnObject, this);
  std::sort(objects_, objects_ + count_,
            [](const LoadedObject& a, const LoadedObject& b) { return a.begin < b.begin; });
  return unloaded_ != unloaded;
}

int LoadedObjects::OnObject(dl_phdr_info* info, size_t size, void* self) {
  auto& objects = *static_cast<LoadedObjects*>(self);
  if (size < offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) return 1;
  if (objects.is_first_) {
    objects.is_first_ = false;
    if (objects.loaded_ == info->dlpi_adds && objects.unloaded_ == info->dlpi_subs) return 1;
    objects.loaded_ = info->dlpi_adds;
    objects.unloaded_ = info->dlpi_subs;
    objects.count_ = objects.path_bytes_ = 0;
  }
  objects.Add(*info);
  return 0;
}

void LoadedObjects::Add(const dl_phdr_info& info) {
  if (count_ == kObjects) return;
  LoadedObject object;
  object.begin = UINT64_MAX;
  object.bias = info.dlpi_addr;
  uint64_t header = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    if (part.p_type == PT_GNU_EH_FRAME) header = info.dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    object.begin = std::min<uint64_t>(object.begin, info.dlpi_addr + part.p_vaddr);
    object.end = std::max<uint64_t>(object.end, info.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  if (object.begin >= object.end) return;
  if (!ReadUnwindIndex(header, memory_, &object.index)) object.index = {};
  object.path = KeepPath(info.dlpi_name == nullptr ? "" : info.dlpi_name);
  objects_[count_++] = object;
}

// The main program has no name.
const char* LoadedObjects::KeepPath(const char* path) {
  char* const kept = paths_ + path_bytes_;
  const size_t room = kPathBytes - path_bytes_;
  if (*path == '\0' && count_ == 0) {
    const ssize_t size = room == 0 ? -1 : readlink("/proc/self/exe", kept, room - 1);
    if (size < 0) return "";
    kept[size] = '\0';
    path_bytes_ += static_cast<size_t>(size) + 1;
    return kept;
  }
  const size_t size = std::strlen(path) + 1;
  if (size > room) return "";
  std::memcpy(kept, path, size);
  path_bytes_ += size;
  return kept;
}

const LoadedObject* LoadedObjects::Find(uint64_t pc) {
  const auto contains = [pc](const LoadedObject& object) { return pc >= object.begin && pc < object.end; };
  if (last_ < count_ && contains(objects_[last_])) return &objects_[last_];
  const LoadedObject* const begin = objects_;
  const LoadedObject* const after = std::upper_bound(
      begin, begin + count_, pc, [](uint64_t address, const LoadedObject& object) { return address < object.begin; });
  if (after == begin || !contains(after[-1])) return nullptr;
  last_ = static_cast<size_t>(after - begin) - 1;
  return after - 1;
}

}  // namespace sparkprof
