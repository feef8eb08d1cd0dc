// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/remote_attach.h"
#include "launch/submit_command.h"

namespace sparkprof {

// Whether the driver of the job runs in a pod.
bool HasDriverPod(const SubmitRequest& request);

// Prints how the driver's pod of this application ended: "OOMKilled, exit code 137". Nothing if the pod is gone.
RemoteStep PrintDriverPodExit(const SubmitRequest& request, const std::string& application);

}  // namespace sparkprof
