#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_

// In:     a fault
// Out:    the Error for the client, as kube-apiserver would return it
// Thread: any; pure
// Next:   StreamScript, FaultInjector

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/error.h>

#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

/// For a fault that returns an error, as a response or an ERROR event.
Error ErrorOf(const Fault& fault, const RequestInfo& request);
/// For a resource that is not served (any more).
Error NoSuchResourceError();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_
