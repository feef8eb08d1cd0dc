// SPDX-License-Identifier: Apache-2.0
#include "render/report/owners_json.h"

#include "base/time.h"

namespace sparkprof {

void WriteOwners(const CpuOwners& owners, JsonWriter* json) {
  json->Key("owners").BeginArray();
  for (const CpuOwner& owner : owners.owners) {
    json->BeginObject()
        .Member("owner", owner.name)
        .Member("kind", OwnerKindName(owner.kind))
        .Member("cpuMs", owner.cpu_ns / kNanosPerMilli);
    if (owner.garbage_ns > 0) json->Member("gcCpuMs", owner.garbage_ns / kNanosPerMilli);
    json->EndObject();
  }
  json->EndArray().Key("ownedShare");
  if (owners.processes_ns > 0) {
    json->Value(owners.Share());
  } else {
    json->Null();
  }
}

}  // namespace sparkprof
