{{/* A CronJob that runs one of the scripts of files/ on the embedded database: dict "root" $ "namespace" … "task" … */}}
{{- define "butlers.dumpsJob" -}}
{{- $root := .root -}}
{{- $values := $root.Values.postgresql.embedded -}}
{{- $backup := $values.backup -}}
{{- $name := include "butlers.postgresql" $root -}}
{{- $own := printf "%s-%s" $name .task -}}
{{- $secret := include "butlers.databaseSecret" $root -}}
{{- $labels := include "butlers.labels" (dict "root" $root "name" (printf "%s-dumps" $name) "component" .task) -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ $own }}
  namespace: {{ .namespace }}
  labels: {{ $labels | nindent 4 }}
spec:
  {{- if eq .task "backup" }}
  schedule: {{ $backup.schedule | quote }}
  startingDeadlineSeconds: 3600
  {{- else }}
  # It is no schedule but what `kubectl create job --from` makes a restore of.
  schedule: "0 0 31 2 *"
  suspend: true
  {{- end }}
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    metadata:
      labels: {{ $labels | nindent 8 }}
    spec:
      # A restore is tried once: whoever asked for it looks at why it was refused.
      backoffLimit: {{ eq .task "backup" | ternary 2 0 }}
      activeDeadlineSeconds: {{ int $backup.deadlineSeconds }}
      template:
        metadata:
          labels: {{ $labels | nindent 12 }}
        spec:
          restartPolicy: Never
          serviceAccountName: {{ $name }}
          automountServiceAccountToken: false
          enableServiceLinks: false
          {{- include "butlers.pullSecrets" $root | nindent 10 }}
          securityContext: {{ include "butlers.podSecurity" $values.runAsUser | nindent 12 }}
          {{- include "butlers.scheduling" (omit $values "topologySpreadConstraints") | nindent 10 }}
          containers:
            - name: {{ .task }}
              image: {{ include "butlers.image" (dict "root" $root "image" $values.image) }}
              imagePullPolicy: {{ $values.image.pullPolicy }}
              command: [sh, -c]
              args:
                - |
                  {{- $root.Files.Get (printf "files/%s.sh" .task) | nindent 18 }}
              env:
                - {name: FOLDER, value: /dumps}
                {{- if eq .task "backup" }}
                - {name: KEEP, value: {{ int $backup.keep | quote }}}
                {{- end }}
                - {name: PASSWORD_FILE, value: /run/secrets/postgresql/password}
                - name: PGHOST
                  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: host}}
                - name: PGPORT
                  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: port}}
                - name: PGUSER
                  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: username}}
                - name: PGDATABASE
                  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: dbname}}
                - {name: PGCONNECT_TIMEOUT, value: "30"}
              resources: {{ toYaml $backup.resources | nindent 16 }}
              securityContext: {{ include "butlers.containerSecurity" $root | nindent 16 }}
              terminationMessagePolicy: FallbackToLogsOnError
              volumeMounts:
                - {name: dumps, mountPath: /dumps{{ if eq .task "restore" }}, readOnly: true{{ end }}}
                - {name: password, mountPath: /run/secrets/postgresql, readOnly: true}
                - {name: tmp, mountPath: /tmp}
          volumes:
            - name: dumps
              persistentVolumeClaim: {claimName: {{ $backup.storage.existingClaim | default (printf "%s-dumps" $name) }}}
            - name: password
              secret:
                secretName: {{ $secret }}
                defaultMode: 0440
                items: [{key: password, path: password}]
            - name: tmp
              emptyDir: {sizeLimit: 64Mi}
{{- end -}}
