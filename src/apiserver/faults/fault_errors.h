#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_

// In:     a fault
// Out:    the Error that a client shall see, as kube-apiserver would say it
// Thread: any; pure
// Next:   StreamScript, AnswerOf

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/error.h>

#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

/// Of a fault that shows as an error, in an answer or an ERROR event.
Error ErrorOf(const Fault& fault, const RequestInfo& request);
/// Of a resource that is not served (any more).
Error NoSuchResourceError();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_ERRORS_H_
