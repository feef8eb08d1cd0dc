// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/storage_level.h"

namespace sparkprof {

std::string StorageLevelText(const CachedRdd& rdd) {
  std::string text = rdd.on_disk ? "Disk " : "";
  if (rdd.in_memory) text += rdd.off_heap ? "Memory (off heap) " : "Memory ";
  text += rdd.deserialized ? "Deserialized " : "Serialized ";
  return text + std::to_string(rdd.replication) + "x Replicated";
}

}  // namespace sparkprof
